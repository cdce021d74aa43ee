//! Deletion asks pods to leave, and respects those who say that they can't.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Event, Pod, ServiceAccount};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kube::Api;
use kube::api::ListParams;

use crate::fleet::Fleet;
use crate::manifests::{budget, pod, waiting_pod};
use crate::runtime::run;

#[test]
fn a_drain_waits_for_a_disruption_budget_and_says_which_for_whom_and_until_when() {
    run(async {
        let fleet = Fleet::start("drain", &[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        let machine = fleet.settled(1).await.remove(0);
        occupy(&fleet, &machine, Budget::Used).await;
        fleet.kubectl_must(&["delete", "machine", &machine, "--wait=false"]).await;
        let budget = format!("disruption budget {}/quorum", fleet.namespace);
        let pod = format!("{}/kept", fleet.namespace);
        let told = fleet.told(&[&pod, &budget, "Forced at "]).await;
        let text = &told.status.last_operation.description;
        let until = text.split_once("Forced at ").and_then(|(_, rest)| rest.split_once('Z')).unwrap().0;
        let until: Timestamp = format!("{until}Z").parse().unwrap();
        let deleted = told.metadata.deletion_timestamp.as_ref().unwrap().0;
        assert_eq!(until.duration_since(deleted).as_hours(), 2, "{text}");
        said(&fleet, &machine, &[&pod, &budget]).await;
        stays_until_it_may_go(&fleet, &machine).await;
        fleet.close().await;
    });
}

#[test]
fn a_disruption_budget_that_can_never_let_a_pod_go_is_called_misconfigured() {
    run(async {
        let fleet = Fleet::start("never", &[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        let machine = fleet.settled(1).await.remove(0);
        occupy(&fleet, &machine, Budget::Impossible).await;
        fleet.kubectl_must(&["delete", "machine", &machine, "--wait=false"]).await;
        let budget = format!("disruption budget {}/quorum is misconfigured", fleet.namespace);
        fleet.told(&["\"kept\"", &budget]).await;
        stays_until_it_may_go(&fleet, &machine).await;
        fleet.close().await;
    });
}

#[test]
fn a_forced_deletion_does_not_wait_for_a_disruption_budget() {
    run(async {
        let fleet = Fleet::start("force", &[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        let machine = fleet.settled(1).await.remove(0);
        occupy(&fleet, &machine, Budget::Used).await;
        fleet.kubectl_must(&["label", "machine", &machine, "force-deletion=True"]).await;
        fleet.kubectl_must(&["delete", "machine", &machine, "--timeout=80s"]).await;
        let pods: Api<Pod> = Api::namespaced(fleet.house.client.clone(), &fleet.namespace);
        assert!(pods.get_opt("kept").await.unwrap().is_none());
        fleet.settled(1).await;
        fleet.close().await;
    });
}

/// Why a budget lets no pod go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Budget {
    /// Another pod of its application is not well.
    Used,
    /// All of its pods are well, and it still wants every one of them.
    Impossible,
}

/// Puts two pods on a node, of which a budget lets one not go.
async fn occupy(fleet: &Fleet, machine: &str, why: Budget) {
    let client = &fleet.house.client;
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), &fleet.namespace);
    fleet.until("pods can be made", async |_| accounts.get_opt("default").await.ok()?.map(drop)).await;
    fleet.apply(&budget("quorum", "kept")).await;
    if why == Budget::Used {
        fleet.apply(&waiting_pod("spare", "kept")).await;
    }
    let expected = if why == Budget::Used { 2 } else { 1 };
    fleet.apply(&pod("kept", machine)).await;
    fleet.apply(&pod("free", machine)).await;
    let budgets: Api<PodDisruptionBudget> = Api::namespaced(client.clone(), &fleet.namespace);
    fleet
        .until("the budget counts its pods", async |_| {
            let status = budgets.get("quorum").await.ok()?.status?;
            let counts = (status.expected_pods, status.current_healthy, status.disruptions_allowed);
            (counts == (expected, 1, 0)).then_some(())
        })
        .await;
}

/// The pod that may go is gone, the other one and the VM stay; without the budget they go too.
async fn stays_until_it_may_go(fleet: &Fleet, machine: &str) {
    let pods: Api<Pod> = Api::namespaced(fleet.house.client.clone(), &fleet.namespace);
    fleet
        .until("the other pod is gone", async |_| pods.get_opt("free").await.ok()?.is_none().then_some(()))
        .await;
    assert!(pods.get_opt("kept").await.unwrap().is_some(), "the budget was not respected");
    assert!(fleet.vm(machine).is_some());
    fleet.kubectl_must(&["delete", "poddisruptionbudget", "quorum"]).await;
    fleet
        .until("the machine is gone", async |fleet| {
            (!fleet.history.now().contains_key(machine)).then_some(())
        })
        .await;
    assert!(pods.get_opt("kept").await.unwrap().is_none());
    fleet.settled(1).await;
}

/// Waits for a warning about a machine that tells all of these things.
async fn said(fleet: &Fleet, machine: &str, parts: &[&str]) {
    let events: Api<Event> = Api::namespaced(fleet.house.client.clone(), &fleet.namespace);
    let about = format!("involvedObject.kind=Machine,involvedObject.name={machine},type=Warning");
    let about = ListParams::default().fields(&about);
    fleet
        .until(&format!("a warning that tells {parts:?}"), async |_| {
            let texts = events.list(&about).await.ok()?.into_iter().filter_map(|event| event.message);
            texts.into_iter().find(|text| parts.iter().all(|part| text.contains(part)))
        })
        .await;
}
