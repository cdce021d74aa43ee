//! Going back to an earlier revision.

use millwright_api::keys::{annotations, labels};
use millwright_api::{MachineDeployment, MachineSet, RollbackTo};
use millwright_decide::deployment::{
    DeploymentAction, DeploymentPatch, Lock, RollbackOutcome, RollbackRequest, SetPatch,
};

use crate::fixtures::deployment::{deployment, facts, names, patches, planned, set_of, sizes, template};

fn back_to(mut deployment: MachineDeployment, revision: i64) -> MachineDeployment {
    deployment.spec.rollback_to = Some(RollbackTo { revision });
    deployment
}

/// Revisions 1 to 3 of classes small, medium and large; large is the current one, half rolled out.
fn history() -> (MachineDeployment, [MachineSet; 3]) {
    let mut deployment = deployment(3);
    deployment.spec.template = template("large");
    deployment.metadata.annotations.get_or_insert_default().insert(annotations::REVISION.into(), "3".into());
    let mut sets = [("small", 1, 0), ("medium", 2, 2), ("large", 3, 1)]
        .map(|(class, revision, replicas)| set_of(&deployment, class, revision, replicas, 3));
    for set in &mut sets {
        let hash = (labels::TEMPLATE_HASH.to_owned(), "9".to_owned());
        set.spec.template.metadata.labels.get_or_insert_default().extend([hash]);
    }
    (deployment, sets)
}

fn patch_of(deployment: &MachineDeployment, sets: &[MachineSet]) -> DeploymentPatch {
    let counted: Vec<_> = sets.iter().map(|set| facts(set, set.spec.replicas, set.spec.replicas)).collect();
    let plan = planned(deployment, &counted);
    assert_eq!(sizes(&plan), [""; 0], "nothing rolls in the same look");
    let DeploymentAction::PatchDeployment(patch) = &plan.actions[0] else { panic!("{plan:?}") };
    assert_eq!(patch.lock, Lock::Version, "who changes the template in between wins");
    patch.clone()
}

#[test]
fn revision_zero_is_the_one_before_and_its_template_comes_back_without_the_hash() {
    let (deployment, sets) = history();
    for (asked, class, revision) in [(0, "medium", 2), (2, "medium", 2), (1, "small", 1)] {
        let patch = patch_of(&back_to(deployment.clone(), asked), &sets);
        assert_eq!(patch.rollback, RollbackRequest::Done(RollbackOutcome::RolledBack { revision }));
        assert_eq!(patch.template.as_deref(), Some(&template(class)));
        assert_eq!(patch.annotations, [].into());
    }
}

#[test]
fn the_annotations_of_that_time_come_back_and_those_of_the_scale_stay() {
    let (deployment, mut sets) = history();
    let of_medium = sets[1].metadata.annotations.get_or_insert_default();
    of_medium.insert("note".into(), "good".into());
    of_medium.insert(annotations::LAST_REPLICA_CHANGE_BY_SCALER.into(), "2020-01-01T00:00:00Z".into());
    let patch = patch_of(&back_to(deployment, 0), &sets);
    assert_eq!(patch.annotations, [("note".to_owned(), Some("good".to_owned()))].into());
}

#[test]
fn going_back_brings_back_no_limits_that_a_group_of_an_autoscaler_had_then() {
    let (mut deployment, mut sets) = history();
    let (least, most) = (annotations::CLUSTER_API_MIN_SIZE, annotations::CLUSTER_API_MAX_SIZE);
    let limits = |least_is: &str, most_is: &str| {
        [(least.to_owned(), least_is.to_owned()), (most.to_owned(), most_is.to_owned())]
    };
    sets[1].metadata.annotations.get_or_insert_default().extend(limits("1", "3"));
    let patch = patch_of(&back_to(deployment.clone(), 0), &sets);
    assert_eq!(patch.annotations, [].into(), "it is no group any more");
    deployment.metadata.annotations.get_or_insert_default().extend(limits("2", "10"));
    let counted: Vec<_> = sets.iter().map(|set| facts(set, set.spec.replicas, set.spec.replicas)).collect();
    let plan = planned(&back_to(deployment, 0), &counted);
    for action in &plan.actions {
        if let DeploymentAction::PatchDeployment(patch) = action {
            assert!(!patch.annotations.contains_key(most), "{patch:?}");
        }
    }
}

#[test]
fn a_rollback_that_leads_nowhere_is_cleared_and_says_why() {
    let (deployment, sets) = history();
    let rows = [
        (9, &sets[..], RollbackOutcome::RevisionNotFound { revision: 9 }),
        (3, &sets[..], RollbackOutcome::TemplateUnchanged { revision: 3 }),
        (0, &sets[2..], RollbackOutcome::NoEarlierRevision),
        (0, &sets[..0], RollbackOutcome::NoEarlierRevision),
    ];
    for (asked, sets, outcome) in rows {
        let patch = patch_of(&back_to(deployment.clone(), asked), sets);
        assert_eq!(patch.rollback, RollbackRequest::Done(outcome));
        assert_eq!((patch.template, patch.annotations), (None, [].into()));
    }
}

#[test]
fn a_new_template_together_with_a_rollback_counts_as_the_latest() {
    let (mut deployment, sets) = history();
    deployment.spec.template = template("huge");
    let patch = patch_of(&back_to(deployment, 0), &sets);
    assert_eq!(patch.rollback, RollbackRequest::Done(RollbackOutcome::RolledBack { revision: 3 }));
}

#[test]
fn a_rollback_in_the_middle_of_a_rollout_turns_it_round_within_its_fences() {
    let (mut deployment, [_, old, new]) = history();
    let patch = patch_of(&back_to(deployment.clone(), 0), &[old.clone(), new.clone()]);
    deployment.spec.template = *patch.template.unwrap();
    let plan = planned(&deployment, &[facts(&old, 2, 2), facts(&new, 1, 1)]);
    let renumbered = |patch: &&&SetPatch| patch.annotations.contains_key(annotations::REVISION);
    let found = patches(&plan);
    let patch = found.iter().find(renumbered).unwrap();
    assert_eq!((patch.name.as_str(), patch.annotations[annotations::REVISION].as_str()), ("web-medium", "4"));
    assert_eq!(patch.annotations[annotations::REVISION_HISTORY], "2");
    let mut old = old;
    old.metadata.annotations.get_or_insert_default().extend(patch.annotations.clone());
    deployment.metadata.annotations.get_or_insert_default().insert(annotations::REVISION.into(), "4".into());
    assert_eq!(sizes(&planned(&deployment, &[facts(&old, 2, 2), facts(&new, 1, 1)])), ["web-medium 2 -> 3"]);
}

#[test]
fn a_paused_deployment_keeps_the_wish_until_it_is_resumed() {
    let (deployment, sets) = history();
    let mut deployment = back_to(deployment, 0);
    deployment.spec.paused = true;
    deployment.spec.revision_history_limit = Some(0);
    let counted = sets.each_ref().map(|set| facts(set, set.spec.replicas, set.spec.replicas));
    assert_eq!(names(&planned(&deployment, &counted)), ["PatchStatus"], "nor is history cleaned up under it");
}
