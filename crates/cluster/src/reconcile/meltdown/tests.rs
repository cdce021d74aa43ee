//! Workers that judge machines of one group at the same time.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::keys::{finalizers, labels};
use millwright_api::{Machine, MachinePhase, OperationState, OperationType};
use serde_json::{Value, json};

use crate::Fleet;
use crate::fake::{FakeServer, fleet, machine, status};
use crate::leader::Leadership;
use crate::reconcile::reconcile_machine;

/// When the clock of the tests begins.
const LONG_AGO: Timestamp = Timestamp::constant(1_000_000, 0);

/// A machine of deployment `web` without a node, in a phase since long ago.
fn member(name: &str, phase: MachinePhase, version: &str) -> Machine {
    let mut machine = machine(name);
    machine.metadata.resource_version = Some(version.into());
    machine.metadata.finalizers = Some(vec![finalizers::MACHINE.into()]);
    machine.metadata.labels = Some(
        [(labels::DEPLOYMENT_NAME, "web"), (labels::NODE, name)]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into(),
    );
    // Without a class there is none to be recorded.
    machine.spec.class.name = "gone".into();
    machine.spec.provider_id = format!("fake://{name}");
    machine.status.phase = phase.as_str().to_owned();
    machine.status.current_status.phase = phase;
    machine.status.current_status.timeout_active = true;
    machine.status.current_status.last_update_time = Some(Time(LONG_AGO));
    machine.status.last_operation.type_ = OperationType::HealthCheck;
    machine.status.last_operation.state = OperationState::Processing;
    machine
}

fn answer(machine: &Machine) -> (u16, Value) {
    (200, serde_json::to_value(machine).expect("plain data"))
}

/// A fleet with two machines whose time is over, and a server that will answer these.
async fn two_overdue(script: Vec<(u16, Value)>) -> (Arc<Fleet>, FakeServer) {
    let server = FakeServer::default();
    let (fleet, _) = fleet(&server, Leadership::undisputed());
    for name in ["a", "b"] {
        let unknown = member(name, MachinePhase::Unknown, "1");
        fleet.update(|index| index.apply_machine(unknown));
    }
    tokio::time::advance(Duration::from_secs(11 * 60)).await;
    server.answer(script);
    (fleet, server)
}

/// Names of machines that were written to be Failed.
fn given_up(server: &FakeServer) -> Vec<String> {
    let failed = |body: &Value| body["status"]["currentStatus"]["phase"] == "Failed";
    let name = |path: String| path.rsplit('/').nth(1).unwrap_or_default().to_owned();
    server
        .asked()
        .into_iter()
        .zip(server.sent())
        .filter(|(_, body)| failed(body))
        .map(|(path, _)| name(path))
        .collect()
}

fn held_back(fleet: &Fleet) -> i64 {
    fleet.parts.metrics.held_back().get()
}

#[tokio::test(start_paused = true)]
async fn two_workers_never_give_up_two_machines_of_a_group_at_once() {
    let (fleet, server) = two_overdue(vec![
        answer(&member("a", MachinePhase::Failed, "2")),
        answer(&member("b", MachinePhase::Unknown, "3")),
    ])
    .await;
    let (a, b) = (reconcile_machine(fleet.clone(), "a".into()), reconcile_machine(fleet.clone(), "b".into()));
    futures::future::join(a, b).await;
    assert_eq!(given_up(&server), ["a"]);
    assert_eq!(server.asked().len(), 2, "the other says that it waits: {:?}", server.asked());
    let text = server.sent()[1]["status"]["lastOperation"]["description"].to_string();
    assert!(text.contains("not more than 1 machine of its deployment"), "{text}");
    assert_eq!(held_back(&fleet), 1);
    // The first one shows now, and still counts.
    server.answer([answer(&member("b", MachinePhase::Unknown, "4"))]);
    reconcile_machine(fleet.clone(), "b".into()).await;
    assert_eq!(given_up(&server), ["a"]);
    fleet.update(|index| index.forget_machine("a", "uid-a"));
    server.answer([answer(&member("b", MachinePhase::Failed, "5"))]);
    reconcile_machine(fleet.clone(), "b".into()).await;
    assert_eq!(given_up(&server), ["a", "b"]);
    assert_eq!(held_back(&fleet), 0);
}

#[tokio::test(start_paused = true)]
async fn a_permission_whose_write_was_refused_is_free_for_the_next() {
    let (fleet, server) =
        two_overdue(vec![(409, status(409, "Conflict")), answer(&member("b", MachinePhase::Failed, "2"))])
            .await;
    reconcile_machine(fleet.clone(), "a".into()).await;
    reconcile_machine(fleet.clone(), "b".into()).await;
    assert_eq!(given_up(&server), ["a", "b"], "the first one did not happen");
}

#[tokio::test(start_paused = true)]
async fn a_permission_whose_write_has_no_answer_is_kept_until_its_machine_is_looked_at_again() {
    let (fleet, server) = two_overdue(vec![
        (500, status(500, "etcdserver: request timed out")),
        answer(&member("b", MachinePhase::Unknown, "2")),
    ])
    .await;
    reconcile_machine(fleet.clone(), "a".into()).await;
    reconcile_machine(fleet.clone(), "b".into()).await;
    assert_eq!(given_up(&server), ["a"], "it may have happened");
    // It did not, its machine is well again, and the next one may.
    let running = member("a", MachinePhase::Running, "9");
    fleet.update(|index| index.apply_machine(running));
    server.answer([answer(&member("a", MachinePhase::Unknown, "10"))]);
    tokio::time::sleep(Duration::from_millis(200)).await;
    reconcile_machine(fleet.clone(), "a".into()).await;
    server.answer([answer(&member("b", MachinePhase::Failed, "11"))]);
    reconcile_machine(fleet.clone(), "b".into()).await;
    assert_eq!(given_up(&server), ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_gone_neither_waits_nor_holds_others_back() {
    let (fleet, server) =
        two_overdue(vec![(0, Value::Null), answer(&member("b", MachinePhase::Unknown, "2"))]).await;
    reconcile_machine(fleet.clone(), "a".into()).await;
    reconcile_machine(fleet.clone(), "b".into()).await;
    assert_eq!((given_up(&server), held_back(&fleet)), (vec!["a".to_owned()], 1));
    fleet.update(|index| index.forget_machine("a", "uid-a"));
    fleet.update(|index| index.forget_machine("b", "uid-b"));
    fleet.forget_departed();
    assert_eq!(held_back(&fleet), 0);
    let next = member("c", MachinePhase::Unknown, "3");
    fleet.update(|index| index.apply_machine(next));
    tokio::time::advance(Duration::from_secs(11 * 60)).await;
    server.answer([(200, json!(member("c", MachinePhase::Failed, "4")))]);
    reconcile_machine(fleet.clone(), "c".into()).await;
    assert_eq!(given_up(&server), ["a", "c"]);
}
