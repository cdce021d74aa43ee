//! What dies is replaced.

use millwright_simcloud::State;
use serde_json::json;

use crate::fleet::Fleet;
use crate::runtime::run;

#[test]
fn a_machine_whose_vm_dies_goes_unknown_then_failed_and_is_replaced() {
    run(async {
        let fleet = Fleet::start("dead", &[]).await;
        let mut deployment = fleet.deployment("v1", 2);
        deployment["spec"]["template"]["spec"]["healthTimeout"] = json!("2s");
        fleet.apply(&deployment).await;
        let victim = fleet.settled(2).await.remove(0);
        let vm = fleet.vm(&victim).unwrap();
        fleet.cloud().set_health(&vm.id, State::Dead.into()).unwrap();
        fleet
            .until("the dead VM is gone", async |fleet| fleet.cloud().vm(&vm.id).is_err().then_some(()))
            .await;
        let left = fleet.settled(2).await;
        assert!(!left.contains(&victim));
        let phases = fleet.history.phases(&victim);
        let seen: Vec<_> = phases.iter().filter(|p| matches!(p.as_str(), "Unknown" | "Failed")).collect();
        assert_eq!(seen, ["Unknown", "Failed"], "{phases:?}");
        fleet.close().await;
    });
}

#[test]
fn a_machine_whose_node_is_deleted_by_kubectl_is_replaced() {
    run(async {
        let fleet = Fleet::start("node", &[]).await;
        fleet.apply(&fleet.deployment("v1", 1)).await;
        let victim = fleet.settled(1).await.remove(0);
        fleet.kubectl_must(&["delete", "node", &victim, "--wait=false"]).await;
        fleet
            .until("its machine is gone", async |fleet| {
                (!fleet.history.now().contains_key(&victim)).then_some(())
            })
            .await;
        let left = fleet.settled(1).await;
        assert_ne!(left, [victim]);
        fleet.close().await;
    });
}
