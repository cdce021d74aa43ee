use super::super::nodes::tend;

use std::collections::HashSet;
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::keys::{annotations, finalizers, labels};
use millwright_api::{Machine, NodeView, ObjectView};
use serde_json::{Value, json};

use super::{freeze, list};
use crate::Fleet;
use crate::fake::{FakeServer, fleet, machine, node, status};
use crate::leader::Leadership;

const NODE: &str = "PATCH /api/v1/nodes/n";
const MACHINES: &str = "GET /apis/machine.sapcloud.io/v1alpha1/namespaces/fleet/machines";

fn held(mut node: NodeView) -> NodeView {
    node.metadata.finalizers = Some(vec!["other".into(), finalizers::NODE.to_owned()]);
    node.metadata.creation_timestamp = Some(Time(jiff::Timestamp::UNIX_EPOCH));
    node
}

fn written(node: &NodeView) -> (u16, Value) {
    let mut written = node.clone();
    written.metadata.resource_version = Some("2".into());
    written.metadata.finalizers = Some(vec!["other".into()]);
    written.metadata.annotations = Some([(annotations::NOT_MANAGED.to_owned(), "1".to_owned())].into());
    (200, serde_json::to_value(written).expect("plain data"))
}

async fn tended(
    server: &FakeServer,
    known: &[Machine],
    node: NodeView,
    waited: Duration,
) -> std::sync::Arc<Fleet> {
    let (fleet, _) = fleet(server, Leadership::undisputed());
    for machine in known {
        fleet.update(|index| index.apply_machine(machine.clone()));
    }
    fleet.update(|index| index.apply_node(node));
    tokio::time::sleep(waited).await;
    tend(&fleet, &mut HashSet::new()).await;
    fleet
}

const LONG: Duration = Duration::from_secs(1201);

#[tokio::test(start_paused = true)]
async fn a_node_without_machine_loses_our_finalizer_and_says_so_after_a_live_look() {
    let server = FakeServer::answering([list(&[]), written(&held(node("n")))]);
    let fleet = tended(&server, &[], held(node("n")), LONG).await;
    assert_eq!(server.asked(), [MACHINES, NODE]);
    let sent = &server.sent()[1]["metadata"];
    assert_eq!(sent["finalizers"], json!(["other"]));
    assert_eq!(sent["annotations"][annotations::NOT_MANAGED], "1");
    assert_eq!((sent["resourceVersion"].as_str(), sent["uid"].as_str()), (Some("1"), Some("uid-n")));
    tend(&fleet, &mut HashSet::new()).await;
    assert_eq!(server.asked().len(), 2, "at rest nothing is asked");
}

#[tokio::test(start_paused = true)]
async fn a_node_that_is_younger_than_the_creation_time_out_or_has_a_machine_is_left_alone() {
    let server = FakeServer::default();
    tended(&server, &[], held(node("n")), LONG - Duration::from_secs(2)).await;
    let mut by_label = machine("m");
    by_label.metadata.labels = Some([(labels::NODE.to_owned(), "n".to_owned())].into());
    tended(&server, &[by_label], held(node("n")), LONG).await;
    tended(&server, &[machine("n")], held(node("n")), LONG).await;
    let mut names = held(node("n"));
    names.metadata.labels = Some([(labels::MACHINE_NAME.to_owned(), "m".to_owned())].into());
    tended(&server, &[machine("m")], names, LONG).await;
    assert_eq!(server.asked(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_only_the_live_look_finds_keeps_its_node() {
    let mut owner = machine("m");
    owner.metadata.labels = Some([(labels::NODE.to_owned(), "n".to_owned())].into());
    let server = FakeServer::answering([list(&[owner])]);
    tended(&server, &[], held(node("n")), LONG).await;
    assert_eq!(server.asked(), [MACHINES]);
}

#[tokio::test(start_paused = true)]
async fn a_live_look_that_fails_lets_no_node_go() {
    for live in [
        (500, status(500, "InternalError")),
        (404, status(404, "NotFound")),
        (200, json!({ "items": [] })),
        (0, Value::Null),
    ] {
        let server = FakeServer::answering([live]);
        tended(&server, &[], held(node("n")), LONG).await;
        assert_eq!(server.asked(), [MACHINES]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_node_that_was_deleted_by_hand_never_hangs_on_our_finalizer() {
    let mut deleted = held(node("n"));
    deleted.metadata.deletion_timestamp = Some(Time(jiff::Timestamp::UNIX_EPOCH));
    deleted.metadata.finalizers = Some(vec![finalizers::NODE.to_owned()]);
    let mut freed = deleted.clone();
    freed.metadata.finalizers = None;
    freed.metadata.resource_version = Some("2".into());
    let server = FakeServer::answering([list(&[]), (200, serde_json::to_value(&freed).expect("plain data"))]);
    let fleet = tended(&server, &[], deleted, Duration::ZERO).await;
    assert_eq!(server.asked(), [MACHINES, NODE]);
    assert_eq!(fleet.with_index(|index| index.nodes().count()), 0);
}

#[tokio::test(start_paused = true)]
async fn a_node_whose_machine_is_back_says_no_more_that_it_has_none() {
    let mut marked = node("n");
    marked.metadata.annotations = Some([(annotations::NOT_MANAGED.to_owned(), "1".to_owned())].into());
    let mut freed = node("n");
    freed.metadata.resource_version = Some("2".into());
    let server = FakeServer::answering([(200, serde_json::to_value(&freed).expect("plain data"))]);
    let fleet = tended(&server, &[machine("n")], marked, Duration::ZERO).await;
    assert_eq!(server.asked(), [NODE]);
    assert_eq!(server.sent()[0]["metadata"]["annotations"], json!({ annotations::NOT_MANAGED: null }));
    assert!(
        fleet.with_index(|index| index.nodes().all(|n| n.annotation(annotations::NOT_MANAGED).is_none()))
    );
}

#[tokio::test(start_paused = true)]
async fn a_frozen_fleet_lets_no_node_go() {
    let server = FakeServer::answering([list(&[])]);
    let (fleet, _) = fleet(&server, Leadership::undisputed());
    fleet.update(|index| index.apply_node(held(node("n"))));
    tokio::time::sleep(LONG).await;
    freeze(&fleet);
    tend(&fleet, &mut HashSet::new()).await;
    assert_eq!(server.asked().iter().filter(|asked| asked.starts_with("PATCH")).count(), 0);
}
