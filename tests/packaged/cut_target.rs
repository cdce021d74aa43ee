//! A target cluster that the controller cannot reach, while everything else goes on. See [`crate::island`] for one that its kubelets cannot reach
//! either; the two lie apart because tests begin in the order of their names, and both wait long.

use std::time::{Duration, Instant};

use millwright_simcloud::State;
use millwright_testbed::{Identity, Passage, Way};

use crate::fleet::{Fleet, Webhook};
use crate::orphans::{OFTEN, orphan};
use crate::runtime::run;
use crate::standing::Standing;

const FROZEN: &str = "mcm_machine_controller_frozen";
/// Short, so that a cut lasts longer than each of them.
const FLAGS: [&str; 3] = [
    "--machine-health-timeout=25s",
    "--machine-safety-apiserver-statuscheck-timeout=3s",
    "--machine-safety-apiserver-statuscheck-period=5s",
];
/// From the freeze on.
pub(crate) const CUT: Duration = Duration::from_secs(40);
/// Whoever is judged for what was not seen is given up in this time.
pub(crate) const AFTERWARDS: Duration = Duration::from_secs(30);

/// How the simulated kubelets reach their cluster.
#[derive(Clone, Copy)]
pub(crate) enum Kubelets {
    Directly,
    ThroughThePassage,
}

/// A fleet of three machines whose controller reaches its target cluster through a passage.
pub(crate) async fn fleet(prefix: &str, kubelets: Kubelets, flags: &[&str]) -> (Fleet, Passage) {
    let mut fleet = Fleet::without_controller(prefix, Webhook::Asked).await;
    let testbed = &fleet.house.testbed;
    let passage = testbed.passage().await.unwrap();
    let target = testbed.kubeconfig_through(Identity::Controller, &passage).unwrap();
    if let Kubelets::ThroughThePassage = kubelets {
        fleet.apply(&fleet.secret_with(&testbed.bootstrap_kubeconfig_through(&passage))).await;
    }
    fleet.apply(&fleet.class("v1")).await;
    let target = format!("--target-kubeconfig={}", target.display());
    fleet.start_controller(&[&FLAGS, flags, &[&target]].concat()).await;
    fleet.apply(&fleet.deployment("v1", 3)).await;
    fleet.settled(3).await;
    (fleet, passage)
}

/// Waits until the controller says that it is frozen, or that it is not.
pub(crate) async fn frozen(fleet: &Fleet, wanted: f64) {
    let begin = Instant::now();
    fleet
        .until(&format!("{FROZEN} is {wanted}"), async |fleet| {
            (fleet.controllers[0].metric(FROZEN).await? == wanted).then_some(())
        })
        .await;
    println!("{FROZEN} is {wanted} after {:.1} s", begin.elapsed().as_secs_f64());
}

#[test]
fn a_cut_target_freezes_the_controller_and_costs_no_machine() {
    run(async {
        let (fleet, passage) = fleet("cut", Kubelets::Directly, &OFTEN).await;
        frozen(&fleet, 0.0).await;
        let machines = fleet.available();
        let [ill, doomed, ..] = machines.as_slice() else { panic!("{machines:?}") };
        let standing = Standing::of(&fleet).without(doomed);
        // One is unhealthy when the controller sees it last, and well again where nobody looks.
        let ill_vm = fleet.vm(ill).unwrap().id;
        fleet.cloud().set_health(&ill_vm, State::NotReady.into()).unwrap();
        fleet
            .until("the ill one is seen", async |fleet| {
                let phase = &fleet.history.now()[ill].status.current_status.phase;
                (phase.as_str() == "Unknown").then_some(())
            })
            .await;
        passage.set(Way::Broken);
        fleet.cloud().set_health(&ill_vm, State::Ready.into()).unwrap();
        frozen(&fleet, 1.0).await;
        fleet.kubectl_must(&["delete", "machine", doomed, "--wait=false"]).await;
        fleet.cloud().create_vm(orphan("lost", &fleet.namespace)).unwrap();
        tokio::time::sleep(CUT).await;
        assert_eq!(standing.changes_in_the_cloud(&fleet), [""; 0], "something was done while frozen");
        assert!(fleet.vm("lost").is_some() && fleet.vm(doomed).is_some());
        assert_eq!(fleet.controllers[0].metric(FROZEN).await, Some(1.0));

        passage.set(Way::Open);
        frozen(&fleet, 0.0).await;
        fleet
            .until("what waited is done", async |fleet| {
                (fleet.vm("lost").is_none() && fleet.vm(doomed).is_none()).then_some(())
            })
            .await;
        fleet.settled(3).await;
        tokio::time::sleep(AFTERWARDS).await;
        fleet.settled(3).await;
        standing.must_be_there(&fleet);
        fleet.close().await;
    });
}
