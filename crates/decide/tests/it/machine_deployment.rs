//! One machine deployment: its first set, its status, clean-up and end.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use millwright_api::keys::{annotations, finalizers, labels};
use millwright_api::{MachineDeployment, MachineSet, MachineSetCondition, controller_of};
use millwright_decide::deployment::{
    DeploymentAction, DeploymentMemory, DeploymentView, encode_hash, plan, template_hash,
};
use millwright_decide::{Freeze, Requeue, RolloutSettings};

use crate::fixtures::deployment::{
    conditions, created, decide, deployment, facts, names, planned, rolling, set_of, status, told, written,
};
use crate::fixtures::set::pool;
use crate::fixtures::time::{at, time};

#[test]
fn the_finalizer_comes_before_the_first_set() {
    let mut deployment = deployment(3);
    deployment.metadata.finalizers = Some(vec!["z.example.com/other".into()]);
    let list = vec![finalizers::MACHINE.to_owned(), "z.example.com/other".to_owned()];
    assert_eq!(planned(&deployment, &[]).actions, [DeploymentAction::SetFinalizers(list)]);
}

#[test]
fn a_new_deployment_gets_a_set_of_its_full_size() {
    let mut deployment = deployment(3);
    deployment.metadata.annotations = Some(
        [
            ("note".to_owned(), "x".to_owned()),
            (annotations::TRIGGER_DELETION.to_owned(), "m~2026-01-01T00:00:00Z".to_owned()),
        ]
        .into(),
    );
    deployment.spec.min_ready_seconds = 5;
    deployment.spec.auto_preserve_failed_machine_max = 2;
    let plan = planned(&deployment, &[]);
    assert_eq!(names(&plan), ["PatchDeployment", "CreateSet", "PatchDeployment", "PatchStatus"]);
    let set = created(&plan).unwrap();
    let hash = template_hash(&deployment.spec.template, 0);
    assert_eq!(set.metadata.name.as_deref(), Some(format!("web-{}", encode_hash(hash)).as_str()));
    assert_eq!(set.metadata.namespace.as_deref(), Some("fleet"));
    assert_eq!(set.metadata.finalizers.as_deref().unwrap(), [finalizers::MACHINE]);
    assert_eq!(controller_of(&set.metadata).unwrap().uid, "uid-web");
    let handed: Vec<(&str, &str)> =
        set.metadata.annotations.iter().flatten().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(
        handed,
        [
            (annotations::DESIRED_REPLICAS, "3"),
            (annotations::MAX_REPLICAS, "4"),
            (annotations::REVISION, "1"),
            (annotations::CLUSTER_API_REVISION, "1"),
            ("note", "x")
        ]
    );
    let hashed = [(labels::TEMPLATE_HASH.to_owned(), hash.to_string()), ("pool".to_owned(), "a".to_owned())];
    let named = (labels::CLUSTER_API_DEPLOYMENT_NAME.to_owned(), "web".to_owned());
    assert_eq!(set.metadata.labels, Some(hashed.clone().into_iter().chain([named]).collect()));
    assert_eq!(set.spec.template.metadata.labels, Some(hashed.clone().into()));
    assert_eq!(set.spec.selector.as_ref().unwrap().match_labels, Some(hashed.into()));
    assert_eq!((set.spec.replicas, set.spec.min_ready_seconds), (3, 5));
    assert_eq!(set.spec.auto_preserve_failed_machine_max, 2);
    assert_eq!(
        conditions(status(&plan)),
        ["Available False MinimumReplicasUnavailable", "Progressing True NewMachineSetCreated"]
    );
}

#[test]
fn a_set_without_owner_that_matches_is_taken_before_another_is_made() {
    let deployment = deployment(3);
    let mut free = set_of(&deployment, "small", 1, 3, 3);
    free.metadata.owner_references = None;
    let adopt = DeploymentAction::AdoptSet { name: "web-small".into() };
    assert_eq!(planned(&deployment, &[facts(&free, 3, 3)]).actions[0], adopt);
    assert!(created(&planned(&deployment, &[facts(&free, 3, 3)])).is_none());
}

#[test]
fn a_complete_deployment_has_exactly_two_conditions_and_rests() {
    let deployment = deployment(3);
    let set = set_of(&deployment, "small", 1, 3, 3);
    let old = set_of(&deployment, "large", 0, 0, 3);
    let sets = [facts(&old, 0, 0), facts(&set, 3, 3)];
    let plan = planned(&deployment, &sets);
    assert_eq!(names(&plan), ["PatchStatus"]);
    let written = status(&plan);
    assert_eq!(
        conditions(written),
        ["Available True MinimumReplicasAvailable", "Progressing True NewMachineSetAvailable"]
    );
    assert_eq!((written.replicas, written.updated_replicas), (3, 3));
    assert_eq!((written.ready_replicas, written.available_replicas, written.unavailable_replicas), (3, 3, 0));
    assert_eq!((written.observed_generation, written.selector.as_str()), (1, "pool=a"));
    let deployment = told(deployment, &sets, 0);
    let plan = decide(&deployment, &sets, &DeploymentMemory::default(), at(100_000));
    assert_eq!((plan.actions, plan.requeue), (vec![], Requeue::OnChange));
}

#[test]
fn progress_moves_the_time_and_standing_still_ends_at_the_deadline() {
    let (mut deployment, old) = rolling(3);
    deployment.spec.progress_deadline_seconds = Some(600);
    let new = set_of(&deployment, "large", 2, 1, 3);
    let mut deployment = told(deployment, &[facts(&old, 3, 3), facts(&new, 0, 0)], 0);
    deployment = told(deployment, &[facts(&old, 3, 3), facts(&new, 1, 0)], 60);
    let progressing = |deployment: &MachineDeployment| deployment.status.conditions[1].clone();
    assert_eq!(conditions(&deployment.status)[1], "Progressing True MachineSetUpdated");
    assert_eq!(progressing(&deployment).last_update_time, time(60));
    let sets = [facts(&old, 3, 3), facts(&new, 1, 0)];
    let plan = decide(&deployment, &sets, &DeploymentMemory::default(), at(100));
    assert_eq!(written(&plan), None);
    assert_eq!(plan.requeue, Requeue::After(std::time::Duration::from_secs(561)));
    deployment = told(deployment, &sets, 660);
    assert_eq!(conditions(&deployment.status)[1], "Progressing False ProgressDeadlineExceeded");
    assert_eq!(written(&decide(&deployment, &sets, &DeploymentMemory::default(), at(9999))), None);
    deployment = told(deployment, &[facts(&old, 3, 3), facts(&new, 1, 1)], 700);
    assert_eq!(conditions(&deployment.status)[1], "Progressing True MachineSetUpdated");
}

#[test]
fn without_a_deadline_a_rollout_is_shown_and_never_counts_as_stuck() {
    let (deployment, old) = rolling(3);
    let new = set_of(&deployment, "large", 2, 1, 3);
    let sets = [facts(&old, 3, 3), facts(&new, 1, 0)];
    let deployment = told(deployment, &sets, 0);
    let plan = decide(&deployment, &sets, &DeploymentMemory::default(), at(1_000_000));
    assert_eq!((written(&plan), plan.requeue), (None, Requeue::OnChange));
}

#[test]
fn machines_that_their_sets_can_not_make_show_on_the_deployment_until_they_can() {
    let deployment = deployment(3);
    let mut set = set_of(&deployment, "small", 1, 3, 3);
    set.status.conditions = vec![MachineSetCondition {
        type_: "ReplicaFailure".into(),
        status: "True".into(),
        reason: "FailedCreate".into(),
        message: "quota is used up".into(),
        last_transition_time: time(5),
    }];
    let plan = planned(&deployment, &[facts(&set, 0, 0)]);
    assert_eq!(conditions(status(&plan))[2], "ReplicaFailure True FailedCreate");
    assert_eq!(status(&plan).conditions[2].message, "quota is used up");
    let deployment = told(deployment, &[facts(&set, 0, 0)], 100);
    assert_eq!(planned(&deployment, &[facts(&set, 0, 0)]).actions, []);
    set.status.conditions.clear();
    assert_eq!(status(&planned(&deployment, &[facts(&set, 3, 3)])).conditions.len(), 2);
}

#[test]
fn a_set_that_can_not_be_created_shows_its_reason() {
    let memory = DeploymentMemory { create_failure: Some("quota is used up".into()), ..Default::default() };
    let plan = decide(&deployment(3), &[], &memory, at(0));
    assert_eq!(conditions(status(&plan))[1], "Progressing False MachineSetCreateError");
    assert_eq!(status(&plan).conditions[1].message, "quota is used up");
}

#[test]
fn a_reason_that_is_gone_is_not_shown_any_more() {
    let memory = DeploymentMemory { create_failure: Some("quota is used up".into()), ..Default::default() };
    let mut deployment = deployment(3);
    deployment.status = status(&decide(&deployment, &[], &memory, at(0))).clone();
    assert_eq!(conditions(status(&planned(&deployment, &[])))[1], "Progressing True NewMachineSetCreated");
}

#[test]
fn a_creation_that_was_done_after_all_never_goes_on_as_failed() {
    let memory = DeploymentMemory { create_failure: Some("no answer".into()), ..Default::default() };
    let deployment = deployment(3);
    let set = created(&planned(&deployment, &[])).unwrap().clone();
    let plan = decide(&deployment, &[facts(&set, 1, 0)], &memory, at(0));
    assert_eq!(conditions(status(&plan))[1], "Progressing True FoundNewMachineSet");
}

#[test]
fn a_name_that_is_taken_leads_to_exactly_one_other() {
    let mut deployment = deployment(3);
    let taken = created(&planned(&deployment, &[])).unwrap().metadata.name.clone();
    let memory = DeploymentMemory { name_taken: taken.clone(), ..Default::default() };
    let plan = decide(&deployment, &[], &memory, at(0));
    assert_eq!(names(&plan), ["PatchStatus"]);
    assert_eq!(status(&plan).collision_count, Some(1));
    deployment.status = status(&plan).clone();
    let plan = decide(&deployment, &[], &memory, at(0));
    assert_ne!(created(&plan).unwrap().metadata.name, taken);
    assert_eq!(status(&plan).collision_count, Some(1), "the collision is counted once");
}

#[test]
fn old_sets_beyond_the_limit_go_oldest_first_when_the_rollout_is_complete() {
    let mut deployment = deployment(3);
    deployment.spec.revision_history_limit = Some(1);
    let old: Vec<MachineSet> =
        (1..=4).map(|age| set_of(&deployment, &format!("old{age}"), age, 0, 3)).collect();
    let newest = set_of(&deployment, "small", 9, 3, 3);
    let sets = |available| {
        let mut sets: Vec<_> = old.iter().map(|set| facts(set, 0, 0)).collect();
        sets.push(facts(&newest, 3, available));
        sets
    };
    let deleted = |sets: &[_]| -> Vec<String> {
        planned(&deployment, sets)
            .actions
            .iter()
            .filter_map(|action| match action {
                DeploymentAction::DeleteSet { name, uid } => Some(format!("{name} {uid}")),
                _ => None,
            })
            .collect()
    };
    assert_eq!(deleted(&sets(3)), ["web-old1 uid-old1", "web-old2 uid-old2", "web-old3 uid-old3"]);
    assert_eq!(deleted(&sets(2)), [""; 0]);
    let mut lingering = sets(3);
    lingering[0].machines = 1;
    assert_eq!(deleted(&lingering), [""; 0], "a rollout with an old VM is not complete");
    let wanted = set_of(&deployment, "old1", 1, 1, 3);
    let mut growing = sets(3);
    growing[0].set = &wanted;
    assert_eq!(
        deleted(&growing),
        ["web-old2 uid-old2", "web-old3 uid-old3"],
        "old1 wants a machine, and the last revision before this one does not go in its place"
    );
}

#[test]
fn a_set_that_was_rolled_back_to_is_no_old_one_by_its_age() {
    let mut deployment = deployment(3);
    deployment.spec.revision_history_limit = Some(1);
    let mut back = set_of(&deployment, "first", 1, 0, 3);
    back.metadata.annotations.get_or_insert_default().insert(annotations::REVISION.into(), "8".into());
    let later = set_of(&deployment, "second", 2, 0, 3);
    let newest = set_of(&deployment, "small", 9, 3, 3);
    let plan = planned(&deployment, &[facts(&back, 0, 0), facts(&later, 0, 0), facts(&newest, 3, 3)]);
    let gone = DeploymentAction::DeleteSet { name: "web-second".into(), uid: "uid-second".into() };
    assert!(plan.actions.contains(&gone), "{plan:?}");
    assert!(!plan.actions.iter().any(|action| action.name() == "DeleteSet" && *action != gone), "{plan:?}");
}

#[test]
fn history_is_cleaned_up_while_paused_and_never_without_a_limit() {
    let (mut deployment, current) = rolling(3);
    let ancient = set_of(&deployment, "ancient", 0, 0, 3);
    for (paused, limit, deletes) in [(true, Some(1), true), (true, None, false), (false, Some(1), false)] {
        deployment.spec.paused = paused;
        deployment.spec.revision_history_limit = limit;
        let plan = planned(&deployment, &[facts(&ancient, 0, 0), facts(&current, 3, 3)]);
        assert_eq!(names(&plan).contains(&"DeleteSet"), deletes, "paused: {paused}, limit: {limit:?}");
    }
}

#[test]
fn sets_that_are_being_deleted_never_drag_others_with_them() {
    let mut deployment = deployment(3);
    deployment.spec.revision_history_limit = Some(1);
    let mut going = set_of(&deployment, "old1", 1, 0, 3);
    going.metadata.deletion_timestamp = time(50);
    let kept = set_of(&deployment, "old2", 2, 0, 3);
    let newest = set_of(&deployment, "small", 9, 3, 3);
    let plan = planned(&deployment, &[facts(&going, 0, 0), facts(&kept, 0, 0), facts(&newest, 3, 3)]);
    assert_eq!(names(&plan), ["PatchDeployment", "PatchStatus"]);
}

#[test]
fn a_spec_that_can_not_be_meant_changes_no_set_and_says_why() {
    let near = LabelSelectorRequirement { key: "zone".into(), operator: "Near".into(), values: None };
    let unreadable = LabelSelector { match_expressions: Some(vec![near]), ..pool("a") };
    let set = set_of(&deployment(3), "small", 1, 3, 3);
    for (selector, replicas, text) in [
        (None, 3, "spec.selector is missing"),
        (Some(unreadable), 3, "operator \"Near\""),
        (Some(pool("b")), 3, "does not match spec.template.metadata.labels"),
        (Some(pool("a")), -1, "spec.replicas is -1"),
    ] {
        let mut deployment = deployment(replicas);
        deployment.spec.selector = selector;
        for sets in [vec![], vec![facts(&set, 3, 3)]] {
            let plan = planned(&deployment, &sets);
            assert_eq!(names(&plan), ["PatchStatus"], "{text}");
            assert_eq!(conditions(status(&plan))[1], "Progressing False MachineSetCreateError");
            assert!(status(&plan).conditions[1].message.contains(text), "{plan:?}");
            let deployment = told(deployment.clone(), &sets, 0);
            assert_eq!(planned(&deployment, &sets).actions, [], "{text}");
        }
    }
}

#[test]
fn a_deleted_deployment_deletes_its_sets_and_leaves_when_the_last_is_gone() {
    let dying = |selector: Option<LabelSelector>| {
        let mut deployment = deployment(3);
        deployment.spec.selector = selector;
        deployment.metadata.deletion_timestamp = time(50);
        deployment
    };
    // Ownership is enough: a selector that was broken later must not keep anything alive.
    for selector in [Some(pool("a")), Some(pool("b")), Some(LabelSelector::default()), None] {
        let deployment = dying(selector);
        let mut set = set_of(&deployment, "small", 1, 3, 3);
        let plan = planned(&deployment, &[facts(&set, 3, 3)]);
        assert_eq!(names(&plan), ["DeleteSet", "PatchStatus"]);
        set.metadata.deletion_timestamp = time(60);
        assert_eq!(names(&planned(&deployment, &[facts(&set, 3, 3)])), ["PatchStatus"]);
        assert_eq!(planned(&deployment, &[]).actions, [DeploymentAction::SetFinalizers(vec![])]);
    }
}

#[test]
fn a_set_of_somebody_else_is_left_alone() {
    let mut deployment = deployment(3);
    deployment.metadata.deletion_timestamp = time(50);
    let mut theirs = set_of(&deployment, "small", 1, 3, 3);
    theirs.metadata.owner_references.get_or_insert_default()[0].uid = "uid-of-another".into();
    assert_eq!(
        planned(&deployment, &[facts(&theirs, 3, 3)]).actions,
        [DeploymentAction::SetFinalizers(vec![])]
    );
}

#[test]
fn a_frozen_controller_leaves_deployments_alone() {
    let (deployment, old) = rolling(3);
    let memory = DeploymentMemory::default();
    let sets = vec![facts(&old, 3, 3)];
    let view = DeploymentView {
        deployment: &deployment,
        sets,
        class: None,
        settings: &RolloutSettings::default(),
        memory: &memory,
        places: millwright_decide::Places::Unbounded,
        freeze: Freeze::Frozen,
    };
    assert_eq!(plan(&view, at(0)).actions, []);
}

#[test]
fn counts_are_written_once_a_second_at_most() {
    let deployment = deployment(3);
    let set = set_of(&deployment, "small", 1, 3, 3);
    let memory = DeploymentMemory { status_written_at: Some(at(100)), ..Default::default() };
    let plan = decide(&deployment, &[facts(&set, 3, 2)], &memory, at(100));
    assert_eq!(plan.actions, []);
    assert_eq!(plan.requeue, Requeue::After(std::time::Duration::from_secs(1)));
    assert_eq!(names(&decide(&deployment, &[facts(&set, 3, 2)], &memory, at(101))), ["PatchStatus"]);
}

#[test]
fn a_selector_that_the_api_server_drops_is_written_once() {
    let deployment = deployment(3);
    let set = set_of(&deployment, "small", 1, 3, 3);
    let sets = [facts(&set, 3, 3)];
    let mut deployment = told(deployment, &sets, 0);
    deployment.status.selector = String::new();
    assert_eq!(status(&planned(&deployment, &sets)).selector, "pool=a");
    let memory = DeploymentMemory { status_written_at: Some(at(50)), ..Default::default() };
    assert_eq!(decide(&deployment, &sets, &memory, at(100)).actions, []);
    let plan = decide(&deployment, &[facts(&set, 3, 2)], &memory, at(100));
    assert_eq!(status(&plan).selector, "pool=a", "it goes along with whatever else there is to say");
}
