//! What a deployment says of its rollout.

use millwright_api::keys::annotations;
use millwright_api::{MachineDeployment, MachineSetCondition};
use millwright_decide::deployment::{DeploymentAction, DeploymentMemory, SetFacts};

use crate::fixtures::deployment::{
    conditions, decide, deployment, facts, names, planned, rolling, set_of, status, strategy, template, told,
};
use crate::fixtures::time::{at, time};

fn progressing(deployment: &MachineDeployment) -> (String, String) {
    let found =
        deployment.status.conditions.iter().find(|condition| condition.type_ == "Progressing").unwrap();
    (format!("{} {}", found.status, found.reason), found.message.clone())
}

fn said(status: &str, message: &str) -> (String, String) {
    (status.to_owned(), message.to_owned())
}

#[test]
fn a_rollout_is_told_from_its_beginning_to_its_end_in_gardeners_words() {
    let (deployment, mut old) = rolling(3);
    let mut deployment = told(deployment, &[facts(&old, 3, 3)], 0);
    let (value, message) = progressing(&deployment);
    assert_eq!(value, "True NewMachineSetCreated");
    assert!(message.starts_with("Created new machine set \"web-"), "{message}");
    let mut new = set_of(&deployment, "large", 2, 1, 3);
    deployment = told(deployment, &[facts(&old, 3, 3), facts(&new, 1, 0)], 2);
    assert_eq!(
        progressing(&deployment),
        said("True MachineSetUpdated", "MachineSet \"web-large\" is progressing.")
    );
    (old.spec.replicas, new.spec.replicas) = (0, 3);
    deployment = told(deployment, &[facts(&old, 0, 0), facts(&new, 3, 3)], 20);
    let done = said("True NewMachineSetAvailable", "MachineSet \"web-large\" has successfully progressed.");
    assert_eq!(progressing(&deployment), done);
    assert_eq!(deployment.status.conditions[0].message, "Deployment has minimum availability.");
    assert_eq!(deployment.status.conditions.len(), 2);
}

#[test]
fn a_set_that_is_found_and_not_made_is_told_as_found() {
    let deployment = deployment(3);
    let set = set_of(&deployment, "small", 1, 3, 3);
    let deployment = told(deployment, &[facts(&set, 3, 1)], 0);
    assert_eq!(
        progressing(&deployment),
        said("True FoundNewMachineSet", "Found new machine set \"web-small\"")
    );
}

#[test]
fn an_autoscaler_is_never_kept_from_a_deployment_that_is_only_scaled_or_repaired() {
    let mut deployment = deployment(3);
    deployment.spec.progress_deadline_seconds = Some(60);
    let mut set = set_of(&deployment, "small", 1, 3, 3);
    deployment = told(deployment, &[facts(&set, 3, 3)], 0);
    let done = progressing(&deployment);
    assert_eq!(done.0, "True NewMachineSetAvailable");
    // A machine fails, is gone, and boots again; then two more are wanted, and one less.
    for (replicas, machines, available) in [(3, 3, 2), (3, 2, 2), (3, 3, 2), (5, 3, 3), (5, 5, 4), (4, 5, 5)]
    {
        deployment.spec.replicas = replicas;
        set.spec.replicas = replicas;
        deployment = told(deployment, &[facts(&set, machines, available)], 10_000);
        assert_eq!(progressing(&deployment), done, "{replicas} {machines} {available}");
    }
}

#[test]
fn a_rollout_that_begins_is_never_told_as_done() {
    let (mut deployment, old) = rolling(3);
    deployment.spec.template = template("small");
    deployment = told(deployment, &[facts(&old, 3, 3)], 0);
    assert_eq!(progressing(&deployment).0, "True NewMachineSetAvailable");
    deployment.spec.template = template("large");
    // The set of that template is there from long ago.
    let back = set_of(&deployment, "large", 2, 0, 3);
    let plain = told(deployment.clone(), &[facts(&old, 3, 3), facts(&back, 0, 0)], 10);
    assert_eq!(progressing(&plain).0, "True MachineSetUpdated");
    // Recreate makes none before the old machines are gone.
    let recreate = told(strategy(deployment, "Recreate"), &[facts(&old, 3, 3)], 10);
    assert_eq!(
        progressing(&recreate),
        said("True MachineSetUpdated", "Machine Deployment \"web\" is progressing.")
    );
}

#[test]
fn a_pause_and_its_end_show_also_when_nothing_rolls() {
    let mut deployment = deployment(3);
    let set = set_of(&deployment, "small", 1, 3, 3);
    let sets = [facts(&set, 3, 3)];
    deployment = told(deployment, &sets, 0);
    deployment.spec.paused = true;
    deployment = told(deployment, &sets, 10);
    assert_eq!(progressing(&deployment), said("Unknown DeploymentPaused", "Deployment is paused"));
    assert_eq!(planned(&deployment, &sets).actions, []);
    deployment.spec.paused = false;
    deployment = told(deployment, &sets, 20);
    assert_eq!(progressing(&deployment), said("Unknown DeploymentResumed", "Deployment is resumed"));
    deployment = told(deployment, &sets, 21);
    assert_eq!(progressing(&deployment).0, "True NewMachineSetAvailable");
    assert_eq!(planned(&deployment, &sets).actions, []);
}

#[test]
fn a_pause_stops_the_deadline_and_hides_no_rollout_that_was_stuck() {
    let (mut deployment, old) = rolling(3);
    deployment.spec.progress_deadline_seconds = Some(60);
    let new = set_of(&deployment, "large", 2, 1, 3);
    let sets = [facts(&old, 3, 3), facts(&new, 1, 0)];
    deployment = told(deployment, &sets, 0);
    deployment.spec.paused = true;
    let mut paused = told(deployment.clone(), &sets, 30);
    paused = told(paused, &sets, 1000);
    assert_eq!(progressing(&paused).0, "Unknown DeploymentPaused");
    paused.spec.paused = false;
    paused = told(paused, &sets, 1001);
    assert_eq!(progressing(&paused).0, "Unknown DeploymentResumed");
    assert_eq!(progressing(&told(paused.clone(), &sets, 1060)).0, "Unknown DeploymentResumed");
    assert_eq!(progressing(&told(paused, &sets, 1061)).0, "False ProgressDeadlineExceeded");
    deployment.spec.paused = false;
    deployment = told(deployment, &sets, 2);
    deployment = told(deployment, &sets, 100);
    assert_eq!(progressing(&deployment).0, "False ProgressDeadlineExceeded");
    deployment.spec.paused = true;
    assert_eq!(progressing(&told(deployment, &sets, 200)).0, "False ProgressDeadlineExceeded");
}

#[test]
fn what_keeps_the_newest_set_from_its_machines_is_told_before_what_keeps_an_old_one() {
    let (deployment, mut old) = rolling(3);
    let mut new = set_of(&deployment, "large", 2, 1, 3);
    let failing = |reason: &str| MachineSetCondition {
        type_: "ReplicaFailure".into(),
        status: "True".into(),
        reason: reason.into(),
        message: "because".into(),
        last_transition_time: time(5),
    };
    old.status.conditions = vec![failing("FailedDelete")];
    let reason = |sets: &[SetFacts<'_>]| conditions(status(&planned(&deployment, sets)))[2].clone();
    assert_eq!(reason(&[facts(&old, 3, 3), facts(&new, 1, 0)]), "ReplicaFailure True FailedDelete");
    new.status.conditions = vec![failing("FailedCreate")];
    assert_eq!(reason(&[facts(&old, 3, 3), facts(&new, 1, 0)]), "ReplicaFailure True FailedCreate");
}

#[test]
fn preserved_machines_that_failed_lower_what_must_be_available() {
    let deployment = deployment(3);
    let set = set_of(&deployment, "small", 1, 3, 3);
    for (preserved, want) in [(0, "False"), (1, "True")] {
        let counted = SetFacts { preserved_failed: preserved, ..facts(&set, 3, 2) };
        assert_eq!(status(&planned(&deployment, &[counted])).conditions[0].status, want);
    }
}

#[test]
fn a_deployment_on_its_way_out_says_nothing_new_of_its_rollout() {
    let mut deployment = deployment(3);
    let set = set_of(&deployment, "small", 1, 3, 3);
    deployment = told(deployment, &[facts(&set, 3, 3)], 0);
    let done = progressing(&deployment);
    deployment.metadata.deletion_timestamp = time(5);
    assert_eq!(progressing(&told(deployment, &[facts(&set, 2, 0)], 10)), done);
}

#[test]
fn a_selector_that_selects_everything_is_told_once() {
    let mut deployment = deployment(3);
    deployment.spec.selector = Some(Default::default());
    let plan = planned(&deployment, &[]);
    assert_eq!(names(&plan), ["WarnSelectingAll", "PatchStatus"]);
    assert_eq!(plan.actions[0], DeploymentAction::WarnSelectingAll);
    let deployment = told(deployment, &[], 0);
    assert_eq!(progressing(&deployment).0, "False MachineSetCreateError");
    assert_eq!(planned(&deployment, &[]).actions, []);
}

#[test]
fn a_revision_is_remembered_once_each_time_it_changes_and_for_nothing_else() {
    let mut deployment = deployment(3);
    deployment.metadata.annotations.get_or_insert_default().insert("note".into(), "x".into());
    let mut set = set_of(&deployment, "small", 1, 3, 3);
    let current = set_of(&deployment, "large", 4, 0, 3);
    let written = |set: &_, current: Option<&_>| {
        let mut sets = vec![facts(set, 3, 3)];
        sets.extend(current.map(|current| facts(current, 0, 0)));
        let plan = decide(&deployment, &sets, &DeploymentMemory::default(), at(9));
        let DeploymentAction::PatchSet(patch) = plan.actions[0].clone() else { panic!("{plan:?}") };
        patch.annotations
    };
    assert!(
        !written(&set, None).contains_key(annotations::REVISION_HISTORY),
        "another annotation is no revision"
    );
    assert_eq!(written(&set, Some(&current))[annotations::REVISION_HISTORY], "1");
    set.metadata.annotations.get_or_insert_default().insert(annotations::REVISION_HISTORY.into(), "0".into());
    assert_eq!(written(&set, Some(&current))[annotations::REVISION_HISTORY], "0,1");
    let long = vec!["123456"; 400].join(",");
    set.metadata.annotations.get_or_insert_default().insert(annotations::REVISION_HISTORY.into(), long);
    let kept = written(&set, Some(&current))[annotations::REVISION_HISTORY].clone();
    assert!(kept.len() <= 2000 && kept.ends_with(",123456,1") && kept.starts_with("123456,"), "{kept}");
}
