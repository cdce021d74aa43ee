mod additions;
mod birth;
mod deployment;
mod drain;
mod machineset;
mod preservation;
mod provider_state;
mod vm_class;
mod without_target;

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, Time};
use millwright_api::keys::{finalizers, labels};
use millwright_api::{Machine, MachineDeployment, MachineSet, ObjectView};
use millwright_decide::machine::{Cordon, MachineAction, MachinePatch, NodePatch};
use millwright_decide::machineset::SetAction;
use serde_json::Value;

use super::{machine as execute, machine_set};
use crate::Fleet;
use crate::fake::{FakeServer, fleet, machine, next, node, status};
use crate::leader::Leadership;
use crate::reconcile::{reconcile_deployment, reconcile_machine};

const MACHINES: &str = "/apis/machine.sapcloud.io/v1alpha1/namespaces/fleet/machines";

fn as_json(object: &impl serde::Serialize) -> Value {
    serde_json::to_value(object).expect("plain data")
}

fn led(server: &FakeServer) -> Arc<Fleet> {
    fleet(server, Leadership::undisputed()).0
}

fn set() -> MachineSet {
    let mut set = MachineSet::default();
    set.metadata.name = Some("s".into());
    set.metadata.uid = Some("uid-s".into());
    set
}

#[tokio::test(start_paused = true)]
async fn an_ambiguous_create_is_looked_up_before_another_machine_is_made() {
    // No answer at all, and an error of the server's own storage: both may have made the machine.
    for lost in [(0, Value::Null), (500, status(500, "etcdserver: request timed out"))] {
        let server = FakeServer::answering([lost, (200, as_json(&machine("m")))]);
        let fleet = led(&server);
        let done = machine_set(&fleet, &set(), &SetAction::CreateMachine(Box::new(machine("m")))).await;
        assert!(done.is_ok(), "{done:?}");
        assert_eq!(server.asked(), [format!("POST {MACHINES}"), format!("GET {MACHINES}/m")]);
        assert!(fleet.with_index(|index| index.machine("m").is_some()), "it is counted from now on");
    }
}

#[tokio::test(start_paused = true)]
async fn a_create_that_was_refused_is_not_looked_up() {
    let server = FakeServer::answering([(403, status(403, "Forbidden"))]);
    let fleet = led(&server);
    let done = machine_set(&fleet, &set(), &SetAction::CreateMachine(Box::new(machine("m")))).await;
    assert!(done.is_err());
    assert_eq!(server.asked(), [format!("POST {MACHINES}")]);
}

#[tokio::test(start_paused = true)]
async fn a_finalizer_removal_that_finds_the_machine_gone_is_done() {
    let server = FakeServer::default();
    let fleet = led(&server);
    let known = Arc::new(machine("m"));
    fleet.update(|index| index.apply_machine(machine("m")));
    let patch = MachinePatch { finalizers: Some(vec![]), ..MachinePatch::default() };
    let done = execute(&fleet, &known, &MachineAction::PatchMachine(patch)).await;
    assert!(done.is_ok(), "{done:?}");
    assert!(fleet.with_index(|index| index.machine("m").is_none()));
}

#[tokio::test(start_paused = true)]
async fn a_machine_made_anew_under_the_same_name_never_inherits_a_vm() {
    let server = FakeServer::answering([(422, status(422, "Invalid"))]);
    let fleet = led(&server);
    let patch = MachinePatch { provider_id: Some("fake://1".into()), ..MachinePatch::default() };
    let done = execute(&fleet, &Arc::new(machine("m")), &MachineAction::PatchMachine(patch)).await;
    assert!(done.is_err());
    assert_eq!(server.sent()[0]["metadata"]["uid"], "uid-m");
}

fn on_node(name: &str, node: &str) -> Machine {
    let mut machine = machine(name);
    machine.metadata.labels = Some([(labels::NODE.to_owned(), node.to_owned())].into());
    machine
}

#[tokio::test(start_paused = true)]
async fn a_node_patch_that_conflicts_is_tried_later_and_is_no_news() {
    let server = FakeServer::answering([(409, status(409, "Conflict"))]);
    let fleet = led(&server);
    fleet.update(|index| index.apply_machine(on_node("m", "n")));
    fleet.update(|index| index.apply_node(node("n")));
    let patch = NodePatch { finalizers: Some(vec![]), ..NodePatch::of("n") };
    let done = execute(&fleet, &Arc::new(on_node("m", "n")), &MachineAction::PatchNode(patch)).await;
    let error = done.expect_err("a conflict");
    assert!(!error.is_worth_a_line(), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_node_that_went_to_another_machine_is_neither_patched_nor_deleted() {
    let server = FakeServer::default();
    let fleet = led(&server);
    let mut old = on_node("old", "ip-1");
    old.metadata.deletion_timestamp = Some(Time(fleet.now()));
    let mut taken = node("ip-1");
    taken.metadata.labels = Some([(labels::MACHINE_NAME.to_owned(), "new".to_owned())].into());
    fleet.update(|index| index.apply_machine(old.clone()));
    fleet.update(|index| index.apply_machine(on_node("new", "ip-1")));
    for node in [node("ip-1"), taken] {
        fleet.update(|index| index.apply_node(node));
        assert!(fleet.with_index(|index| index.node_of(&old).is_none()));
        assert!(fleet.with_index(|index| index.node_of(&on_node("new", "ip-1")).is_some()));
        for action in [
            MachineAction::PatchNode(NodePatch { cordon: Some(Cordon::On), ..NodePatch::of("ip-1") }),
            MachineAction::DeleteNode { name: "ip-1".into() },
        ] {
            assert!(execute(&fleet, &Arc::new(old.clone()), &action).await.is_ok());
        }
    }
    assert_eq!(server.asked(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_machine_is_looked_at_again_when_the_lease_was_only_late() {
    let server = FakeServer::default();
    let leadership = Leadership::undisputed();
    let fleet = fleet(&server, Leadership::expired()).0;
    assert!(leadership.may_write() && !fleet.may_write());
    fleet.update(|index| index.apply_machine(machine("m")));
    assert_eq!(next(&fleet.parts.queues.machines).await.as_deref(), Some("m"));
    reconcile_machine(fleet.clone(), "m".into()).await;
    assert_eq!(next(&fleet.parts.queues.machines).await.as_deref(), Some("m"));
    assert_eq!(server.asked(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_went_while_a_call_was_prepared_stops_the_call() {
    let (fleet, cloud) = fleet(&FakeServer::default(), Leadership::expired());
    execute(&fleet, &Arc::new(machine("m")), &MachineAction::DeleteVm).await.expect("no request");
    assert_eq!(*cloud.calls.lock(), Vec::<String>::new());
    assert_eq!(next(&fleet.parts.queues.machines).await.as_deref(), Some("m"));
}

#[tokio::test(start_paused = true)]
async fn a_set_that_can_not_be_created_never_keeps_the_status_from_being_written() {
    let mut deployment = MachineDeployment::default();
    deployment.metadata.name = Some("web".into());
    deployment.metadata.uid = Some("uid-web".into());
    deployment.metadata.resource_version = Some("1".into());
    deployment.metadata.finalizers = Some(vec![finalizers::MACHINE.into()]);
    let labels = Some([("pool".to_owned(), "a".to_owned())].into());
    deployment.spec.replicas = 1;
    deployment.spec.selector = Some(LabelSelector { match_labels: labels.clone(), ..Default::default() });
    deployment.spec.template.metadata.labels = labels;
    deployment.spec.template.spec.class.name = "small".into();
    let refused = || (403, status(403, "Forbidden"));
    let server = FakeServer::answering([refused(), (200, as_json(&deployment))]);
    let fleet = led(&server);
    fleet.update(|index| index.apply_deployment(deployment));
    reconcile_deployment(fleet.clone(), "web".into()).await;
    let base = "/apis/machine.sapcloud.io/v1alpha1/namespaces/fleet";
    assert_eq!(
        server.asked(),
        [format!("POST {base}/machinesets"), format!("PATCH {base}/machinedeployments/web/status")]
    );
    assert_eq!(next(&fleet.parts.queues.deployments).await.as_deref(), Some("web"), "it is tried again");
}

#[test]
fn a_cloud_that_refuses_the_credentials_never_locks_up_the_fleet() {
    let (done, all_done) = std::sync::mpsc::channel();
    let work = move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let (fleet, cloud) = fleet(&FakeServer::default(), Leadership::undisputed());
            *cloud.refuses.lock() = Some(millwright_api::MachineCode::Unauthenticated);
            let mut dying = machine("m");
            dying.metadata.deletion_timestamp = Some(Time(fleet.now()));
            dying.metadata.finalizers = Some(vec![finalizers::MACHINE.to_owned()]);
            let dying = Arc::new(dying);
            // A decision holds the index and then wants the memory: here in all its slowness.
            let decision = {
                let fleet = fleet.clone();
                tokio::task::spawn_blocking(move || {
                    for _ in 0..20 {
                        fleet.with_index(|_| {
                            std::thread::sleep(Duration::from_millis(2));
                            drop(fleet.memories.lock());
                        });
                    }
                })
            };
            while !decision.is_finished() {
                execute(&fleet, &dying, &MachineAction::DeleteVm).await.expect("noted, not returned");
            }
            let memories = fleet.memories.lock();
            assert!(memories.machines[dying.uid()].failure.is_some());
        });
        done.send(()).expect("somebody waits");
    };
    std::thread::spawn(work);
    all_done.recv_timeout(Duration::from_secs(60)).expect("both come to an end");
}
