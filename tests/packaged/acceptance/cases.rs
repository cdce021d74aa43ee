//! The ten cases, in the order in which each needs the one before it.

use std::pin::Pin;

use serde_json::{Value, json};

use crate::patience::settle;

use super::objects::{self, DEPLOYMENT, DUMMY, MACHINE, V2};
use super::sight::{Suite, nodes};

/// One case.
pub(super) struct Case {
    pub(super) number: usize,
    pub(super) what: &'static str,
    pub(super) play: Play,
}

type Play = for<'a> fn(&'a Suite) -> Playing<'a>;
type Playing<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// All of them.
pub(super) fn cases() -> impl Iterator<Item = Case> {
    let all: [(&'static str, Play); 10] = [
        ("creating machine resource", |suite| Box::pin(create_machine(suite))),
        ("deleting machine resource", |suite| Box::pin(delete_machine(suite))),
        ("deleting machine resource that does not exist", |suite| Box::pin(delete_unknown_machine(suite))),
        ("creating machine deployment with replicas 0, scaling up to 1", |suite| {
            Box::pin(create_deployment(suite))
        }),
        ("scaling machine deployment up to 6", |suite| Box::pin(scale_up(suite))),
        ("scaling machine deployment down to 2", |suite| Box::pin(scale_down(suite))),
        ("freezing and unfreezing machine set", |suite| Box::pin(freezes_once(suite))),
        ("updating machine deployment to test-mc-v2 with replicas 4", |suite| Box::pin(update_class(suite))),
        ("deleting machine deployment", |suite| Box::pin(delete_deployment(suite))),
        ("looking for orphaned resources in the cloud", |suite| Box::pin(nothing_is_left(suite))),
    ];
    all.into_iter().zip(1..).map(|((what, play), number)| Case { number, what, play })
}

async fn create_machine(suite: &Suite) {
    suite.fleet.apply(&objects::machine(&suite.fleet.namespace)).await;
    suite.nodes_are_initial_and(1).await;
}

async fn delete_machine(suite: &Suite) {
    suite.fleet.kubectl_must(&["delete", "machine", MACHINE, "--timeout=80s"]).await;
    assert!(suite.fleet.get(&["machine", MACHINE]).await.is_none());
    suite.nodes_are_initial_and(0).await;
}

async fn delete_unknown_machine(suite: &Suite) {
    let before = nodes(&suite.fleet).await;
    let said = suite.fleet.kubectl(&["delete", "machine", DUMMY]).await;
    assert!(!said.status.success() && said.stderr.contains("NotFound"), "{}", said.stderr);
    assert_eq!(nodes(&suite.fleet).await, before);
}

async fn create_deployment(suite: &Suite) {
    suite.fleet.apply(&objects::deployment(&suite.fleet.namespace)).await;
    let is_its = |set: &Value| set["metadata"]["ownerReferences"][0]["name"] == DEPLOYMENT;
    suite
        .fleet
        .until("one set of the deployment", async |_| {
            let sets = suite.sets().await;
            (sets.len() == 1 && is_its(&sets[0])).then_some(())
        })
        .await;
    suite.patch_deployment(&json!({ "spec": { "replicas": 1 } })).await;
    let is_at_rest = |status: &Value| {
        let mut conditions: Vec<_> = status["conditions"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|c| ["type", "status", "reason"].map(|key| c[key].as_str().unwrap_or_default()))
            .collect();
        conditions.sort_unstable();
        status["availableReplicas"] == 1
            && conditions
                == [
                    ["Available", "True", "MinimumReplicasAvailable"],
                    ["Progressing", "True", "NewMachineSetAvailable"],
                ]
    };
    suite.status("one available replica and exactly two conditions, both true", is_at_rest).await;
    suite.nodes_are_initial_and(1).await;
}

async fn scale_up(suite: &Suite) {
    suite.patch_deployment(&json!({ "spec": { "replicas": 6 } })).await;
    suite.nodes_are_initial_and(6).await;
}

async fn scale_down(suite: &Suite) {
    suite.patch_deployment(&json!({ "spec": { "replicas": 2 } })).await;
    suite.nodes_are_initial_and(2).await;
}

/// The scale-down before this did it; nothing else has.
async fn freezes_once(suite: &Suite) {
    let sets = suite.sets().await;
    assert_eq!(sets.len(), 1);
    let set = sets[0]["metadata"]["name"].as_str().unwrap();
    suite
        .fleet
        .until("one event of a freeze and one of its end", async |_| {
            (suite.freezes(set).await == (1, 1)).then_some(())
        })
        .await;
    // No second one follows.
    settle().await;
    assert_eq!(suite.freezes(set).await, (1, 1));
}

async fn update_class(suite: &Suite) {
    let new = json!({ "spec": { "replicas": 4, "template": { "spec": { "class": { "name": V2 } } } } });
    suite.patch_deployment(&new).await;
    let is_new = |status: &Value| status["updatedReplicas"] == 4 && status["availableReplicas"] == 4;
    suite.status("four updated and available replicas", is_new).await;
    suite.nodes_are_initial_and(4).await;
}

async fn delete_deployment(suite: &Suite) {
    suite.fleet.kubectl_must(&["delete", "machinedeployment", DEPLOYMENT, "--timeout=80s"]).await;
    suite.nodes_are_initial_and(0).await;
}

async fn nothing_is_left(suite: &Suite) {
    suite
        .fleet
        .until("a cloud with nothing in it", async |fleet| {
            let cloud = fleet.cloud();
            (cloud.vms().is_empty() && cloud.nics().is_empty() && cloud.disks().is_empty()).then_some(())
        })
        .await;
}
