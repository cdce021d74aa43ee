//! What a preservation writes: annotations that lose against a user's, and complaints that are made once.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use millwright_api::keys::annotations::{LAST_APPLIED_NODE_PRESERVE_VALUE, PRESERVE};
use millwright_api::keys::finalizers;
use millwright_api::{Machine, MachinePhase, MachineSet, NodeView, controller_reference};
use millwright_decide::machine::{MachineAction, MachinePatch};
use millwright_decide::machineset::SetAction;
use serde_json::{Value, json};

use super::{MACHINES, as_json, led, on_node, set};
use crate::execute::{machine as execute, machine_set};
use crate::fake::{FakeServer, machine, next, node, status};
use crate::reconcile::reconcile_set;

#[tokio::test(start_paused = true)]
async fn an_annotation_is_only_removed_as_it_was_seen() {
    let server = FakeServer::answering([(200, as_json(&machine("m")))]);
    let fleet = led(&server);
    let patch = MachinePatch {
        annotations: [(LAST_APPLIED_NODE_PRESERVE_VALUE.to_owned(), "now".to_owned())].into(),
        dropped_annotations: vec![PRESERVE.to_owned()],
        ..MachinePatch::default()
    };
    let done = execute(&fleet, &Arc::new(machine("m")), &MachineAction::PatchMachine(patch)).await;
    assert!(done.is_ok(), "{done:?}");
    let sent = &server.sent()[0]["metadata"];
    assert_eq!(sent["annotations"], json!({LAST_APPLIED_NODE_PRESERVE_VALUE: "now", PRESERVE: null}));
    assert_eq!((&sent["uid"], &sent["resourceVersion"]), (&json!("uid-m"), &json!("1")));
}

#[tokio::test(start_paused = true)]
async fn a_set_writes_its_wish_over_nothing_that_it_has_not_seen() {
    for (value, wanted) in [(Some("auto-preserved"), json!("auto-preserved")), (None, Value::Null)] {
        let server = FakeServer::answering([(409, status(409, "Conflict"))]);
        let fleet = led(&server);
        fleet.update(|index| index.apply_machine(machine("m")));
        let action = SetAction::AnnotateMachine { name: "m".into(), key: PRESERVE, value };
        assert!(machine_set(&fleet, &set(), &action).await.is_err());
        assert_eq!(server.asked(), [format!("PATCH {MACHINES}/m")]);
        let sent = &server.sent()[0]["metadata"];
        assert_eq!(sent["annotations"], json!({ PRESERVE: wanted }));
        assert_eq!((&sent["uid"], &sent["resourceVersion"]), (&json!("uid-m"), &json!("1")));
    }
}

#[tokio::test(start_paused = true)]
async fn users_are_told_once_of_a_value_that_is_not_understood() {
    let fleet = led(&FakeServer::default());
    let known = Arc::new(machine("m"));
    let action = MachineAction::ReportMisuse { message: "what it is, and what is allowed".into() };
    execute(&fleet, &known, &action).await.expect("it is only said");
    let told = fleet.memories.lock().machines["uid-m"].misuse_reported.clone();
    assert_eq!(told.as_deref(), Some("what it is, and what is allowed"), "the next decision knows");
}

fn wishing(node: NodeView, version: &str, value: &str) -> NodeView {
    let mut node = node;
    node.metadata.resource_version = Some(version.into());
    node.metadata.annotations = Some([(PRESERVE.to_owned(), value.to_owned())].into());
    node
}

#[tokio::test(start_paused = true)]
async fn a_wish_on_a_node_or_a_machine_wakes_the_machine() {
    let fleet = led(&FakeServer::default());
    fleet.update(|index| index.apply_machine(on_node("m", "n")));
    fleet.update(|index| index.apply_node(node("n")));
    while next(&fleet.parts.queues.machines).await.is_some() {}
    fleet.update(|index| index.apply_node(wishing(node("n"), "2", "now")));
    assert_eq!(next(&fleet.parts.queues.machines).await.as_deref(), Some("m"));
    let mut wished = on_node("m", "n");
    wished.metadata.resource_version = Some("2".into());
    wished.metadata.annotations = Some([(PRESERVE.to_owned(), "now".to_owned())].into());
    fleet.update(|index| index.apply_machine(wished));
    assert_eq!(next(&fleet.parts.queues.machines).await.as_deref(), Some("m"));
}

/// A set with one machine that has failed.
fn failing_set() -> (MachineSet, Machine) {
    let pool: BTreeMap<_, _> = [("pool".to_owned(), "a".to_owned())].into();
    let mut owner = set();
    owner.metadata.namespace = Some("fleet".into());
    owner.metadata.resource_version = Some("1".into());
    owner.metadata.finalizers = Some(vec![finalizers::MACHINE.to_owned()]);
    owner.spec.replicas = 1;
    owner.spec.selector =
        Some(LabelSelector { match_labels: Some(pool.clone()), ..LabelSelector::default() });
    owner.spec.template.metadata.labels = Some(pool.clone());
    owner.spec.template.spec.class.kind = "MachineClass".into();
    owner.spec.template.spec.class.name = "small".into();
    let mut failed = on_node("m", "n");
    failed.status.current_status.phase = MachinePhase::Failed;
    failed.metadata.owner_references = Some(vec![controller_reference(&owner)]);
    failed.metadata.labels.get_or_insert_default().extend(pool);
    failed.spec.class.kind = "MachineClass".into();
    (owner, failed)
}

#[tokio::test(start_paused = true)]
async fn a_failed_machine_whose_node_is_wanted_survives_its_set() {
    for (value, deletions) in [("now", 0), ("false", 1)] {
        let server = FakeServer::default();
        let fleet = led(&server);
        let (owner, failed) = failing_set();
        fleet.update(|index| index.apply_set(owner));
        fleet.update(|index| index.apply_machine(failed));
        fleet.update(|index| index.apply_node(wishing(node("n"), "1", value)));
        reconcile_set(fleet.clone(), "s".to_owned()).await;
        let asked = server.asked();
        let deleted = asked.iter().filter(|request| request.starts_with("DELETE")).count();
        assert_eq!(deleted, deletions, "{value}: {asked:?}");
    }
}
