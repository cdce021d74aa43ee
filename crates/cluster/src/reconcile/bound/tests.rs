//! Workers that roll several deployments at the same time under one bound.

use std::sync::Arc;
use std::time::Duration;

use millwright_api::keys::{annotations, finalizers, labels};
use millwright_api::{
    IntOrPercent, Machine, MachineDeployment, MachinePhase, MachineSet, controller_reference,
};
use millwright_decide::{Bounds, RolloutSettings, TargetCluster};
use serde_json::Value;

use crate::Fleet;
use crate::fake::{FakeServer, fleet_that_rolls, machine, status};
use crate::leader::Leadership;
use crate::reconcile::reconcile_deployment;

/// A deployment of two machines of class `small` that is asked for `large`.
fn deployment(name: &str, class: &str, version: &str) -> MachineDeployment {
    let mut deployment = MachineDeployment::default();
    deployment.metadata.name = Some(name.into());
    deployment.metadata.namespace = Some("fleet".into());
    deployment.metadata.uid = Some(format!("uid-{name}"));
    deployment.metadata.resource_version = Some(version.into());
    deployment.metadata.finalizers = Some(vec![finalizers::MACHINE.into()]);
    deployment.metadata.annotations = Some([(annotations::REVISION.to_owned(), "2".to_owned())].into());
    deployment.spec.replicas = 2;
    deployment.spec.selector =
        serde_json::from_value(serde_json::json!({"matchLabels": {"pool": name}})).ok();
    deployment.spec.template.metadata.labels = Some([("pool".to_owned(), name.to_owned())].into());
    deployment.spec.template.spec.class.kind = "MachineClass".into();
    deployment.spec.template.spec.class.name = class.into();
    deployment
}

fn set(owner: &str, class: &str, replicas: i32, version: &str) -> MachineSet {
    let deployment = deployment(owner, class, "1");
    let revision = if class == "large" { "2" } else { "1" };
    let mut set = MachineSet::default();
    set.metadata.name = Some(format!("{owner}-{class}"));
    set.metadata.namespace = Some("fleet".into());
    set.metadata.uid = Some(format!("uid-{owner}-{class}"));
    set.metadata.resource_version = Some(version.into());
    set.metadata.finalizers = Some(vec![finalizers::MACHINE.into()]);
    set.metadata.owner_references = Some(vec![controller_reference(&deployment)]);
    set.metadata.annotations = Some(
        [
            (annotations::REVISION, revision),
            (annotations::DESIRED_REPLICAS, "2"),
            (annotations::MAX_REPLICAS, "3"),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into(),
    );
    set.spec.replicas = replicas;
    set.spec.selector = deployment.spec.selector;
    let selected = set.spec.selector.get_or_insert_default().match_labels.get_or_insert_default();
    selected.insert(labels::TEMPLATE_HASH.to_owned(), revision.to_owned());
    set.spec.template = deployment.spec.template;
    set.spec.template.metadata.labels = Some(selected.clone());
    set.metadata.labels = Some(selected.clone());
    set
}

fn member(set: &MachineSet, number: usize) -> Machine {
    let owner = set.metadata.name.clone().unwrap_or_default();
    let mut machine = machine(&format!("{owner}-{number}"));
    machine.metadata.owner_references = Some(vec![controller_reference(set)]);
    machine.metadata.labels = set.spec.template.metadata.labels.clone();
    machine.status.current_status.phase = MachinePhase::Running;
    machine
}

/// Two deployments that want to roll, and places for one machine.
fn two_that_roll() -> (Arc<Fleet>, FakeServer) {
    let server = FakeServer::default();
    let settings = RolloutSettings {
        bounds: Bounds { in_replacement: Some(IntOrPercent::Int(1)), ..Bounds::default() },
        target: TargetCluster::Absent,
        ..RolloutSettings::default()
    };
    let (fleet, _) = fleet_that_rolls(&server, Leadership::undisputed(), TargetCluster::Absent, settings);
    for name in ["a", "b"] {
        fleet.update(|index| index.apply_deployment(deployment(name, "large", "1")));
        let (old, newest) = (set(name, "small", 2, "1"), set(name, "large", 0, "1"));
        for number in 0..2 {
            fleet.update(|index| index.apply_machine(member(&old, number)));
        }
        fleet.update(|index| index.apply_set(old));
        fleet.update(|index| index.apply_set(newest));
    }
    (fleet, server)
}

fn answer(object: &impl serde::Serialize) -> (u16, Value) {
    (200, serde_json::to_value(object).expect("plain data"))
}

/// Sets that were given a size, in order.
fn sized(server: &FakeServer) -> Vec<String> {
    let sent = server.asked().into_iter().zip(server.sent());
    let sized = sent.filter(|(_, body)| body["spec"]["replicas"].is_i64());
    sized.map(|(path, _)| path.rsplit('/').next().unwrap_or_default().to_owned()).collect()
}

fn waits(server: &FakeServer, name: &str) -> bool {
    let path = format!("/{name}/status");
    let sent = server.asked().into_iter().zip(server.sent());
    sent.filter(|(asked, _)| asked.ends_with(&path))
        .any(|(_, body)| body["status"]["conditions"].to_string().contains("FleetBoundReached"))
}

/// What is in the queue, and what comes within a while.
async fn queued(fleet: &Fleet) -> Vec<String> {
    let mut names = Vec::new();
    while let Ok(Some(work)) =
        tokio::time::timeout(Duration::from_secs(5), fleet.parts.queues.deployments.next()).await
    {
        names.push(work.key().clone());
        work.done();
    }
    names.sort();
    names.dedup();
    names
}

#[tokio::test(start_paused = true)]
async fn two_workers_never_take_the_last_place_both() {
    let (fleet, server) = two_that_roll();
    // Whoever is first gives its set a size; both write their status, which nobody here keeps.
    server.answer([answer(&set("a", "large", 1, "2"))]);
    let (a, b) =
        (reconcile_deployment(fleet.clone(), "a".into()), reconcile_deployment(fleet.clone(), "b".into()));
    futures::future::join(a, b).await;
    assert_eq!(sized(&server), ["a-large"], "{:?} {:?}", server.asked(), server.sent());
    assert!(waits(&server, "b") && !waits(&server, "a"), "{:?}", server.sent());
    assert_eq!(fleet.machines_in_work(), [("a".to_owned(), 1), ("b".to_owned(), 0)]);
    // It shows now, and still counts.
    reconcile_deployment(fleet.clone(), "b".into()).await;
    assert_eq!(sized(&server), ["a-large"]);
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_is_woken_when_a_place_gets_free() {
    let (fleet, server) = two_that_roll();
    server.answer([answer(&set("a", "large", 1, "2"))]);
    reconcile_deployment(fleet.clone(), "a".into()).await;
    reconcile_deployment(fleet.clone(), "b".into()).await;
    queued(&fleet).await;
    // Its user goes back, and nothing of it is in work any more.
    fleet.update(|index| index.apply_set(set("a", "large", 0, "3")));
    fleet.update(|index| index.apply_deployment(deployment("a", "small", "4")));
    assert_eq!(queued(&fleet).await, ["a"]);
    reconcile_deployment(fleet.clone(), "a".into()).await;
    assert!(queued(&fleet).await.contains(&"b".to_owned()));
    server.answer([answer(&set("b", "large", 1, "5"))]);
    reconcile_deployment(fleet.clone(), "b".into()).await;
    assert_eq!(sized(&server), ["a-large", "b-large"]);
}

#[tokio::test(start_paused = true)]
async fn places_of_a_deployment_that_is_gone_are_free() {
    let (fleet, server) = two_that_roll();
    server.answer([answer(&set("a", "large", 1, "2"))]);
    reconcile_deployment(fleet.clone(), "a".into()).await;
    reconcile_deployment(fleet.clone(), "b".into()).await;
    queued(&fleet).await;
    fleet.update(|index| {
        index.deployment_event(crate::watch::WatchEvent::Delete(deployment("a", "large", "9")))
    });
    assert_eq!(queued(&fleet).await, ["a"]);
    reconcile_deployment(fleet.clone(), "a".into()).await;
    assert_eq!(queued(&fleet).await, ["b"]);
}

#[tokio::test(start_paused = true)]
async fn a_size_whose_write_has_no_answer_keeps_its_place_until_it_is_looked_at_again() {
    let (fleet, server) = two_that_roll();
    server.answer([(500, status(500, "etcdserver: request timed out"))]);
    reconcile_deployment(fleet.clone(), "a".into()).await;
    reconcile_deployment(fleet.clone(), "b".into()).await;
    assert_eq!(sized(&server), ["a-large"], "it may have happened");
    server.answer([answer(&set("a", "large", 1, "2"))]);
    reconcile_deployment(fleet.clone(), "a".into()).await;
    assert_eq!(sized(&server), ["a-large", "a-large"]);
}
