//! What is sent for a machine deployment.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use millwright_api::RollbackTo;
use millwright_api::controller_reference;
use millwright_decide::deployment::{
    DeploymentAction, DeploymentPatch, Lock, MachineMarks, RollbackOutcome, RollbackRequest, SetPatch,
};
use prometheus::Registry;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::events::{EventMetrics, events};
use crate::execute::machine_deployment;

const DEPLOYMENTS: &str = "/apis/machine.sapcloud.io/v1alpha1/namespaces/fleet/machinedeployments";
const SETS: &str = "/apis/machine.sapcloud.io/v1alpha1/namespaces/fleet/machinesets";

fn deployment() -> MachineDeployment {
    let mut deployment = MachineDeployment::default();
    deployment.metadata.name = Some("d".into());
    deployment.metadata.namespace = Some("fleet".into());
    deployment.metadata.uid = Some("uid-d".into());
    deployment.metadata.resource_version = Some("7".into());
    deployment.spec.template.spec.class.name = "large".into();
    deployment.spec.template.metadata.labels = Some([("pool".to_owned(), "a".to_owned())].into());
    deployment.spec.rollback_to = Some(RollbackTo { revision: 0 });
    deployment
}

/// What goes to the server when the action is done, events included.
async fn telling(
    server: &FakeServer,
    action: DeploymentAction,
) -> (Result<(), crate::execute::ExecuteError>, Vec<(String, Value)>) {
    let mut fleet = led(server);
    let client = fleet.parts.control.0.clone();
    let metrics = EventMetrics::register(&Registry::new()).expect("a fresh registry");
    let (recorder, writer) = events(client, &metrics, || Timestamp::UNIX_EPOCH);
    Arc::get_mut(&mut fleet).expect("nobody else has it yet").parts.recorder = recorder;
    let stop = CancellationToken::new();
    let task = tokio::spawn(writer.run(stop.clone()));
    let done = machine_deployment(&fleet, &deployment(), &action).await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    stop.cancel();
    task.await.expect("the writer ends");
    (done, server.asked().into_iter().zip(server.sent()).collect())
}

fn rollback() -> DeploymentAction {
    let mut template = deployment().spec.template;
    template.spec.class.name = "small".into();
    DeploymentAction::PatchDeployment(DeploymentPatch {
        annotations: [("note".to_owned(), Some("x".to_owned()))].into(),
        template: Some(Box::new(template)),
        rollback: RollbackRequest::Done(RollbackOutcome::RolledBack { revision: 1 }),
        lock: Lock::Version,
        ..DeploymentPatch::default()
    })
}

fn reasons(requests: &[(String, Value)]) -> Vec<&str> {
    let told = requests.iter().filter(|(asked, _)| asked.starts_with("POST"));
    told.map(|(_, body)| body["reason"].as_str().unwrap_or_default()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_rollback_is_one_write_that_loses_against_any_other_and_is_told_when_it_was_done() {
    let server = FakeServer::answering([(200, as_json(&deployment()))]);
    let (done, requests) = telling(&server, rollback()).await;
    assert!(done.is_ok(), "{done:?}");
    let (asked, body) = &requests[0];
    assert_eq!(*asked, format!("PATCH {DEPLOYMENTS}/d"));
    assert_eq!(
        *body,
        serde_json::json!({
            "metadata": {"uid": "uid-d", "resourceVersion": "7", "annotations": {"note": "x"}},
            "spec": {"template": {"spec": {"class": {"name": "small"}}}, "rollbackTo": null},
        })
    );
    assert_eq!(reasons(&requests), ["DeploymentRollback"]);
    assert_eq!(requests[1].1["message"], "Rolled back deployment \"d\" to revision 1");
}

#[tokio::test(start_paused = true)]
async fn a_rollback_that_was_not_written_is_not_told() {
    let server = FakeServer::answering([(409, status(409, "Conflict"))]);
    let (done, requests) = telling(&server, rollback()).await;
    assert!(done.is_err_and(|error| !error.is_worth_a_line()), "it is tried again on what is there then");
    assert_eq!(reasons(&requests), [""; 0]);
    let (done, requests) = telling(&FakeServer::default(), rollback()).await;
    assert!(done.is_ok(), "the deployment is gone");
    assert_eq!(reasons(&requests), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_rollback_that_leads_nowhere_only_clears_the_wish_and_says_why() {
    for (outcome, reason) in [
        (RollbackOutcome::RevisionNotFound { revision: 9 }, "DeploymentRollbackRevisionNotFound"),
        (RollbackOutcome::NoEarlierRevision, "DeploymentRollbackRevisionNotFound"),
        (RollbackOutcome::TemplateUnchanged { revision: 3 }, "DeploymentRollbackTemplateUnchanged"),
    ] {
        let server = FakeServer::answering([(200, as_json(&deployment()))]);
        let patch = DeploymentPatch {
            rollback: RollbackRequest::Done(outcome),
            lock: Lock::Version,
            ..DeploymentPatch::default()
        };
        let (_, requests) = telling(&server, DeploymentAction::PatchDeployment(patch)).await;
        assert_eq!(requests[0].1["spec"], serde_json::json!({ "rollbackTo": null }));
        assert_eq!(reasons(&requests), [reason]);
    }
}

fn owned_set() -> MachineSet {
    let mut set = set();
    set.metadata.namespace = Some("fleet".into());
    set.metadata.resource_version = Some("3".into());
    let other =
        OwnerReference { uid: "uid-backup".into(), name: "backup".into(), ..OwnerReference::default() };
    set.metadata.owner_references = Some(vec![controller_reference(&deployment()), other]);
    set
}

#[tokio::test(start_paused = true)]
async fn a_set_that_is_let_go_really_loses_its_owner_and_no_other() {
    let server = FakeServer::answering([(200, as_json(&owned_set()))]);
    let fleet = led(&server);
    fleet.update(|index| index.apply_set(owned_set()));
    let action = DeploymentAction::ReleaseSet { name: "s".into() };
    assert!(machine_deployment(&fleet, &deployment(), &action).await.is_ok());
    assert_eq!(server.asked(), [format!("PATCH {SETS}/s")]);
    let sent = &server.sent()[0]["metadata"];
    assert_eq!((&sent["uid"], &sent["resourceVersion"]), (&Value::from("uid-s"), &Value::from("3")));
    let left = sent["ownerReferences"].as_array().expect("a list");
    assert_eq!((left.len(), left[0]["uid"].as_str()), (1, Some("uid-backup")));
}

#[tokio::test(start_paused = true)]
async fn the_hash_reaches_template_machines_and_selector_and_nothing_else_is_sent() {
    let key = labels::TEMPLATE_HASH;
    let server = FakeServer::answering([
        (200, as_json(&owned_set())),
        (200, as_json(&machine("m"))),
        (200, as_json(&owned_set())),
    ]);
    let fleet = led(&server);
    fleet.update(|index| index.apply_set(owned_set()));
    fleet.update(|index| index.apply_machine(machine("m")));
    let mut template = owned_set().spec.template;
    template.metadata.labels = Some([(key.to_owned(), "7".to_owned())].into());
    let hash: std::collections::BTreeMap<_, _> = [(key.to_owned(), Some("7".to_owned()))].into();
    let selector = LabelSelector {
        match_labels: Some([(key.to_owned(), "7".to_owned())].into()),
        ..LabelSelector::default()
    };
    for action in [
        DeploymentAction::PatchSet(SetPatch {
            name: "s".into(),
            template: Some(Box::new(template)),
            ..SetPatch::default()
        }),
        DeploymentAction::PatchMachine(MachineMarks {
            name: "m".into(),
            uid: "uid-m".into(),
            labels: hash.clone(),
            ..MachineMarks::default()
        }),
        DeploymentAction::PatchSet(SetPatch {
            name: "s".into(),
            labels: hash,
            selector: Some(selector),
            ..SetPatch::default()
        }),
    ] {
        let done = machine_deployment(&fleet, &deployment(), &action).await;
        assert!(done.is_ok(), "{done:?}");
    }
    let sent = server.sent();
    assert_eq!(sent[0], serde_json::json!({"spec": {"template": {"metadata": {"labels": {key: "7"}}}}}));
    assert_eq!(sent[1]["metadata"]["labels"], serde_json::json!({key: "7"}));
    assert_eq!(sent[2]["metadata"]["labels"], serde_json::json!({key: "7"}));
    assert_eq!(sent[2]["spec"], serde_json::json!({"selector": {"matchLabels": {key: "7"}}}));
}
