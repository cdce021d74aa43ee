//! `--target-kubeconfig=none`: what touches a target cluster does nothing, and a deletion comes to its end.

use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::keys::finalizers;
use millwright_decide::TargetCluster;
use millwright_decide::drain::PodIdentity;
use millwright_decide::machine::{Cordon, MachineAction, NodePatch, NodeStatusPatch};
use serde_json::json;

use super::{MACHINES, as_json};
use crate::execute::machine as execute;
use crate::fake::{FakeServer, fleet_beside, machine};
use crate::leader::Leadership;
use crate::reconcile::reconcile_machine;

#[tokio::test(start_paused = true)]
async fn steps_at_a_target_cluster_that_is_not_there_are_done_at_once() {
    let server = FakeServer::default();
    let (fleet, _) = fleet_beside(&server, Leadership::undisputed(), TargetCluster::Absent);
    let known = Arc::new(machine("m"));
    fleet.update(|index| index.apply_machine(machine("m")));
    let pod = PodIdentity { namespace: "default".into(), name: "web".into(), uid: "uid-web".into() };
    for action in [
        MachineAction::DeleteBootstrapToken,
        MachineAction::ListPods { node: "m".into() },
        MachineAction::EvictPod(pod.clone()),
        MachineAction::DeletePod(pod),
        MachineAction::PatchNode(NodePatch { cordon: Some(Cordon::On), ..NodePatch::of("m") }),
        MachineAction::PatchNodeStatus(NodeStatusPatch { name: "m".into(), ..NodeStatusPatch::default() }),
        MachineAction::DeleteVolumeAttachment { name: "a".into(), uid: "uid-a".into() },
        MachineAction::DeleteNode { name: "m".into() },
    ] {
        let done = execute(&fleet, &known, &action).await;
        assert!(done.is_ok(), "{action:?}: {done:?}");
    }
    assert_eq!(server.asked(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_deletion_without_a_target_cluster_is_one_call_to_the_cloud_and_one_write() {
    let mut dying = machine("m");
    dying.spec.provider_id = "fake://m".into();
    dying.metadata.finalizers = Some(vec![finalizers::MACHINE.to_owned()]);
    dying.metadata.deletion_timestamp = Some(Time(Timestamp::from_second(1_000_000).expect("a time")));
    let mut gone = dying.clone();
    gone.metadata.finalizers = None;
    let server = FakeServer::answering([(200, as_json(&gone))]);
    let (fleet, cloud) = fleet_beside(&server, Leadership::undisputed(), TargetCluster::Absent);
    fleet.update(|index| index.apply_machine(dying));
    for _ in 0..3 {
        reconcile_machine(fleet.clone(), "m".to_owned()).await;
    }
    assert_eq!(*cloud.calls.lock(), ["delete m Some(\"fake://m\")"]);
    assert_eq!(server.asked(), [format!("PATCH {MACHINES}/m")]);
    assert_eq!(server.sent()[0]["metadata"]["finalizers"], json!([]));
    assert!(fleet.with_index(|index| index.machine("m").is_none()));
}
