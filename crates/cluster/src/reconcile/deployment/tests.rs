//! A deployment whose nodes do not take their marks.

use millwright_api::keys::{annotations, finalizers, labels};
use millwright_api::{
    IntOrPercent, MachineDeployment, MachinePhase, MachineSet, RollingUpdate, controller_reference,
};
use millwright_decide::deployment::DeploymentMemory;
use serde_json::json;

use super::*;
use crate::fake::{FakeServer, fleet, machine, node, status};
use crate::leader::Leadership;

const NODE: &str = "PATCH /api/v1/nodes/m";

/// A deployment that replaces its only machine: it may be missed, and its node shall be marked before.
fn rolling(server: &FakeServer) -> Arc<Fleet> {
    let (fleet, _) = fleet(server, Leadership::undisputed());
    let mut deployment = MachineDeployment::default();
    deployment.metadata.name = Some("web".into());
    deployment.metadata.namespace = Some("fleet".into());
    deployment.metadata.uid = Some("uid-web".into());
    deployment.metadata.resource_version = Some("1".into());
    deployment.metadata.finalizers = Some(vec![finalizers::MACHINE.into()]);
    deployment.metadata.annotations = Some([(annotations::REVISION.to_owned(), "2".to_owned())].into());
    deployment.spec.replicas = 1;
    deployment.spec.selector = Some(Default::default());
    let pool = [("pool".to_owned(), "a".to_owned())];
    deployment.spec.selector.get_or_insert_default().match_labels = Some(pool.clone().into());
    deployment.spec.template.metadata.labels = Some(pool.clone().into());
    deployment.spec.template.spec.class.kind = "MachineClass".into();
    deployment.spec.template.spec.class.name = "large".into();
    deployment.spec.strategy.type_ = "RollingUpdate".into();
    deployment.spec.strategy.rolling_update = Some(RollingUpdate {
        max_surge: Some(IntOrPercent::Int(0)),
        max_unavailable: Some(IntOrPercent::Int(1)),
    });
    let set = |class: &str, replicas: i32, revision: &str| {
        let mut set = MachineSet::default();
        set.metadata.name = Some(class.to_owned());
        set.metadata.namespace = Some("fleet".into());
        set.metadata.uid = Some(format!("uid-{class}"));
        set.metadata.resource_version = Some("1".into());
        set.metadata.labels = Some(pool.clone().into());
        set.metadata.owner_references = Some(vec![controller_reference(&deployment)]);
        let record = [
            (annotations::REVISION, revision),
            (annotations::DESIRED_REPLICAS, "1"),
            (annotations::MAX_REPLICAS, "1"),
        ];
        set.metadata.annotations =
            Some(record.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect());
        set.spec.replicas = replicas;
        set.spec.selector.clone_from(&deployment.spec.selector);
        set.spec.template = deployment.spec.template.clone();
        set.spec.template.spec.class.name = class.to_owned();
        set
    };
    let old = set("small", 1, "1");
    let mut machine = machine("m");
    machine.metadata.labels = Some([(labels::NODE.to_owned(), "m".to_owned())].into());
    machine.metadata.labels.get_or_insert_default().extend(pool.clone());
    machine.metadata.owner_references = Some(vec![controller_reference(&old)]);
    machine.status.current_status.phase = MachinePhase::Running;
    fleet.update(|index| index.apply_deployment(deployment.clone()));
    fleet.update(|index| index.apply_set(old));
    fleet.update(|index| index.apply_set(set("large", 0, "2")));
    fleet.update(|index| index.apply_machine(machine));
    fleet.update(|index| index.apply_node(node("m")));
    fleet
}

fn memory(fleet: &Fleet) -> DeploymentMemory {
    fleet.memories.lock().deployments.get("uid-web").cloned().unwrap_or_default()
}

/// Passes until everything but the node is as it shall be.
async fn roll(fleet: &Arc<Fleet>) {
    for _ in 0..3 {
        reconcile(fleet.clone(), "web".to_owned()).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_node_that_refuses_its_marks_neither_stalls_the_rollout_nor_is_asked_in_each_pass() {
    let server = FakeServer::default();
    let fleet = rolling(&server);
    // Every request is refused, the first one of which is that to the node.
    server.answer(std::iter::repeat_n((403, status(403, "Forbidden")), 10));
    roll(&fleet).await;
    let asked = server.asked();
    assert_eq!(asked[0], NODE);
    assert_eq!(asked.iter().filter(|asked| *asked == NODE).count(), 1, "{asked:?}");
    assert!(asked.iter().any(|asked| asked.contains("/machinesets/small")), "{asked:?}");
    assert_eq!(memory(&fleet).node_trouble.map(|trouble| trouble.attempts), Some(1));
}

#[tokio::test(start_paused = true)]
async fn a_node_that_takes_its_marks_after_all_is_forgotten_as_trouble() {
    let server = FakeServer::default();
    let fleet = rolling(&server);
    server.answer([(409, status(409, "Conflict"))]);
    reconcile(fleet.clone(), "web".to_owned()).await;
    assert!(memory(&fleet).node_trouble.is_some());
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    let mut marked = node("m");
    marked.metadata.resource_version = Some("2".into());
    marked.metadata.annotations =
        Some([(annotations::SCALE_DOWN_DISABLED.to_owned(), "true".to_owned())].into());
    server.answer([(200, json!(marked))]);
    reconcile(fleet.clone(), "web".to_owned()).await;
    assert_eq!(memory(&fleet).node_trouble, None);
}
