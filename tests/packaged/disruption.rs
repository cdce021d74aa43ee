//! Deletion asks pods to leave, and respects those who say that they can't.

use k8s_openapi::api::core::v1::{Pod, ServiceAccount};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kube::Api;

use crate::fleet::Fleet;
use crate::manifests::{budget, pod};
use crate::runtime::run;

#[test]
fn a_deletion_evicts_pods_and_waits_for_a_disruption_budget_which_it_names() {
    run(async {
        let fleet = Fleet::start("drain", &[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        let machine = fleet.settled(1).await.remove(0);
        let client = &fleet.house.client;
        occupy(&fleet, &machine).await;
        fleet.kubectl_must(&["delete", "machine", &machine, "--wait=false"]).await;
        let budget = format!("disruption budget {}/kept", fleet.namespace);
        let pod = format!("{}/kept", fleet.namespace);
        fleet.told(&[&pod, &budget]).await;
        let pods: Api<Pod> = Api::namespaced(client.clone(), &fleet.namespace);
        fleet
            .until("the other pod is gone", async |_| {
                pods.get_opt("free").await.ok()?.is_none().then_some(())
            })
            .await;
        assert!(pods.get_opt("kept").await.unwrap().is_some(), "the budget was not respected");
        assert!(fleet.vm(&machine).is_some());

        fleet.kubectl_must(&["delete", "poddisruptionbudget", "kept"]).await;
        fleet
            .until("the machine is gone", async |fleet| {
                (!fleet.history.now().contains_key(&machine)).then_some(())
            })
            .await;
        assert!(pods.get_opt("kept").await.unwrap().is_none());
        fleet.settled(1).await;
        fleet.close().await;
    });
}

#[test]
fn a_forced_deletion_does_not_wait_for_a_disruption_budget() {
    run(async {
        let fleet = Fleet::start("force", &[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        let machine = fleet.settled(1).await.remove(0);
        occupy(&fleet, &machine).await;
        fleet.kubectl_must(&["label", "machine", &machine, "force-deletion=True"]).await;
        fleet.kubectl_must(&["delete", "machine", &machine, "--timeout=80s"]).await;
        let pods: Api<Pod> = Api::namespaced(fleet.house.client.clone(), &fleet.namespace);
        assert!(pods.get_opt("kept").await.unwrap().is_none());
        fleet.settled(1).await;
        fleet.close().await;
    });
}

/// Puts two pods on a node, of which a budget lets one not go.
async fn occupy(fleet: &Fleet, machine: &str) {
    let client = &fleet.house.client;
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), &fleet.namespace);
    fleet.until("pods can be made", async |_| accounts.get_opt("default").await.ok()?.map(drop)).await;
    fleet.apply(&budget("kept")).await;
    fleet.apply(&pod("kept", machine)).await;
    fleet.apply(&pod("free", machine)).await;
    let budgets: Api<PodDisruptionBudget> = Api::namespaced(client.clone(), &fleet.namespace);
    fleet
        .until("the budget counts its pod", async |_| {
            let status = budgets.get("kept").await.ok()?.status?;
            (status.current_healthy == 1 && status.disruptions_allowed == 0).then_some(())
        })
        .await;
}
