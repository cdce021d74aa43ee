//! One machine set: which machines are its own, how many to create, which to delete, what to say.

use std::collections::HashMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use millwright_api::keys::{annotations, finalizers, labels};
use millwright_api::{
    GoDuration, MachinePhase, MachineSet, MachineSetCondition, OperationState, controller_of,
};
use millwright_decide::machineset::{SetAction, SetMemory, SetPlan, SetView, TemplatePatch, plan};
use millwright_decide::{Freeze, Requeue, RolloutSettings};

use crate::fixtures::machine::{annotated, deleting, labelled, owned};
use crate::fixtures::names::Counting;
use crate::fixtures::set::{
    creations, decide, deletions, member, members, names, planned, pool, set, status, told,
};
use crate::fixtures::time::{at, time};

#[test]
fn the_finalizer_comes_before_the_first_machine() {
    let mut set = set(3);
    set.metadata.finalizers = Some(vec!["z.example.com/other".into()]);
    let list = vec![finalizers::MACHINE.to_owned(), "z.example.com/other".to_owned()];
    assert_eq!(planned(&set, &[]).actions, [SetAction::SetFinalizers(list)]);
}

#[test]
fn exactly_the_missing_machines_are_created_with_all_that_the_template_says() {
    let mut set = set(3);
    set.metadata.annotations =
        Some([(annotations::EFFECTIVE_CREATION_TIMEOUT.to_owned(), "3m".to_owned())].into());
    set.spec.template.metadata.annotations = Some([("note".to_owned(), "x".to_owned())].into());
    set.spec.template.metadata.finalizers = Some(vec!["z.example.com/theirs".into()]);
    let plan = planned(&set, &members(1));
    let new = creations(&plan);
    let new_names: Vec<&str> = new.iter().map(|machine| machine.metadata.name.as_deref().unwrap()).collect();
    assert_eq!(new_names, ["web-56789-00001", "web-56789-00002"]);
    let meta = &new[0].metadata;
    assert_eq!(meta.namespace.as_deref(), Some("fleet"));
    assert_eq!(meta.labels, set.spec.template.metadata.labels);
    assert_eq!(meta.finalizers.as_deref().unwrap(), [finalizers::MACHINE, "z.example.com/theirs"]);
    assert_eq!(meta.annotations.as_ref().unwrap()[annotations::EFFECTIVE_CREATION_TIMEOUT], "3m");
    assert_eq!(meta.annotations.as_ref().unwrap()["note"], "x");
    let owner = controller_of(meta).unwrap();
    assert_eq!((owner.kind.as_str(), owner.uid.as_str()), ("MachineSet", "uid-set"));
    assert_eq!(new[0].spec, set.spec.template.spec);
}

#[test]
fn names_of_machines_fit_into_a_label() {
    let mut set = set(1);
    set.metadata.name = Some(format!("{}-{}", "a".repeat(56), "b".repeat(40)));
    let plan = planned(&set, &[]);
    assert_eq!(creations(&plan)[0].metadata.name.as_deref().unwrap(), format!("{}-00001", "a".repeat(56)));
}

#[test]
fn machines_on_their_way_out_do_not_count_and_are_not_deleted_twice() {
    let machines =
        [deleting(member("m0", MachinePhase::Running), 1), member("m1", MachinePhase::Terminating)];
    let plan = planned(&set(2), &machines);
    assert_eq!((creations(&plan).len(), deletions(&plan).len()), (2, 0));
    let plan = planned(&set(0), &machines);
    assert_eq!((creations(&plan).len(), deletions(&plan).len()), (0, 0));
}

#[test]
fn an_ownerless_machine_that_matches_is_adopted_instead_of_one_created() {
    let mut stray = member("stray", MachinePhase::Running);
    stray.metadata.owner_references = None;
    let plan = planned(&set(2), &[member("m0", MachinePhase::Running), stray.clone()]);
    assert_eq!(names(&plan), ["AdoptMachine", "PatchStatus"]);
    assert_eq!(status(&plan).replicas, 1, "it is not ours before the API server says so");
    let dying = deleting(stray.clone(), 1);
    assert_eq!(creations(&planned(&set(1), &[dying])).len(), 1);
    let other = owned(stray, "uid-of-another-set");
    assert_eq!(creations(&planned(&set(1), &[other])).len(), 1);
}

#[test]
fn a_machine_that_lost_its_label_is_released_and_replaced() {
    let stray = labelled(member("m0", MachinePhase::Running), "pool", "b");
    let plan = planned(&set(1), &[stray]);
    assert_eq!(names(&plan), ["ReleaseMachine", "CreateMachine", "PatchStatus"]);
}

#[test]
fn a_failed_machine_is_replaced_by_deleting_it_first() {
    let machines = [member("m0", MachinePhase::Running), member("m1", MachinePhase::Failed)];
    let plan = planned(&set(2), &machines);
    assert_eq!(deletions(&plan), ["m1"]);
    assert_eq!(creations(&plan).len(), 0);
    let after = [machines[0].clone(), deleting(machines[1].clone(), 100)];
    assert_eq!(creations(&planned(&set(2), &after)).len(), 1);
}

#[test]
fn a_preserved_failed_machine_stays_until_its_time_is_over() {
    let mut kept = member("m0", MachinePhase::Failed);
    kept.status.current_status.preserve_expiry_time = time(101);
    assert_eq!(deletions(&planned(&set(1), &[kept.clone()])), [""; 0]);
    kept.status.current_status.preserve_expiry_time = time(100);
    assert_eq!(deletions(&planned(&set(1), &[kept])), ["m0"]);
}

#[test]
fn a_scale_down_takes_machines_by_their_rank() {
    let machines = [
        member("running", MachinePhase::Running),
        member("pending", MachinePhase::Pending),
        annotated(member("chosen", MachinePhase::Running), annotations::MACHINE_PRIORITY, "1"),
        member("unknown", MachinePhase::Unknown),
    ];
    assert_eq!(deletions(&planned(&set(1), &machines)), ["chosen", "unknown", "pending"]);
}

#[test]
fn a_deletion_names_the_uid_so_that_a_namesake_survives() {
    let plan = planned(&set(0), &members(1));
    assert_eq!(plan.actions[0], SetAction::DeleteMachine { name: "m0".into(), uid: "uid-m0".into() });
}

#[test]
fn a_set_that_is_frozen_or_held_creates_nothing_and_still_deletes() {
    for (key, value) in [(labels::FREEZE, "True"), (labels::SCALE_UP_DISABLED, "true")] {
        let mut set = set(2);
        set.metadata.labels = Some([(key.to_owned(), value.to_owned())].into());
        assert_eq!(creations(&planned(&set, &[])).len(), 0, "{key}");
        assert_eq!(deletions(&planned(&set, &members(3))).len(), 1, "{key}");
    }
}

#[test]
fn a_frozen_controller_leaves_sets_alone() {
    for set in [set(3), set(0), dying(set(1))] {
        let machines = members(1);
        let memory = SetMemory::default();
        let settings = RolloutSettings::default();
        let view = SetView {
            set: &set,
            deployment: None,
            settings: &settings,
            machines: machines.iter().collect(),
            failed_nodes: HashMap::new(),
            memory: &memory,
            freeze: Freeze::Frozen,
        };
        assert_eq!(plan(&view, &mut Counting::default(), at(0)).actions, []);
    }
}

/// Sets whose spec can not mean what it says, with what must be in the condition about it.
fn broken() -> Vec<(MachineSet, &'static str)> {
    let changed = |change: fn(&mut MachineSet)| {
        let mut set = set(3);
        change(&mut set);
        set
    };
    vec![
        (changed(|set| set.spec.selector = None), "spec.selector is missing"),
        (changed(|set| set.spec.selector = Some(LabelSelector::default())), "spec.selector is empty"),
        (changed(|set| set.spec.selector = Some(unreadable())), "operator \"Near\""),
        (changed(|set| set.spec.selector = Some(pool("b"))), "does not match spec.template.metadata.labels"),
        (
            changed(|set| set.spec.template.metadata.labels = None),
            "does not match spec.template.metadata.labels",
        ),
        (changed(|set| set.spec.replicas = -1), "spec.replicas is -1"),
    ]
}

fn unreadable() -> LabelSelector {
    LabelSelector {
        match_expressions: Some(vec![LabelSelectorRequirement {
            key: "zone".into(),
            operator: "Near".into(),
            values: None,
        }]),
        ..pool("a")
    }
}

#[test]
fn a_spec_that_can_not_be_meant_creates_deletes_adopts_and_releases_nothing_and_says_why() {
    for (set, text) in broken() {
        let mut machines = members(1);
        let mut free = member("free", MachinePhase::Running);
        free.metadata.owner_references = None;
        machines.push(free);
        machines.push(labelled(member("stray", MachinePhase::Failed), "pool", "c"));
        let plan = planned(&set, &machines);
        assert_eq!(names(&plan), ["PatchStatus"], "{text}");
        let condition = &status(&plan).conditions[0];
        assert_eq!((condition.type_.as_str(), condition.status.as_str()), ("ReplicaFailure", "True"));
        assert!(condition.message.contains(text), "{condition:?}");
        let mut told = set.clone();
        told.status = status(&plan).clone();
        assert_eq!(planned(&told, &machines).actions, [], "{text}");
    }
}

#[test]
fn a_selector_that_does_not_match_its_own_template_never_creates_machines_without_end() {
    let mut set = set(1);
    set.spec.selector = Some(pool("b"));
    let made = owned(labelled(member("made", MachinePhase::Pending), "pool", "a"), "uid-set");
    assert_eq!(creations(&planned(&set, &[made])).len(), 0);
}

fn dying(mut set: MachineSet) -> MachineSet {
    set.metadata.deletion_timestamp = time(50);
    set
}

#[test]
fn a_deleted_set_deletes_its_machines_and_leaves_when_the_last_is_gone() {
    let mut machines = members(2);
    let plan = planned(&dying(set(2)), &machines);
    assert_eq!(deletions(&plan), ["m0", "m1"]);
    for machine in &mut machines {
        *machine = deleting(machine.clone(), 100);
    }
    assert_eq!(names(&planned(&dying(set(2)), &machines)), ["PatchStatus"]);
    assert_eq!(planned(&dying(set(2)), &[]).actions, [SetAction::SetFinalizers(vec![])]);
    let mut left = dying(set(2));
    left.metadata.finalizers = None;
    assert_eq!(planned(&left, &[]).actions, []);
}

#[test]
fn a_set_whose_selector_is_broken_can_still_be_deleted_with_its_machines() {
    for (set, text) in broken() {
        if text.contains("match") {
            continue;
        }
        assert_eq!(deletions(&planned(&dying(set.clone()), &members(1))), ["m0"], "{text}");
        assert_eq!(planned(&dying(set), &[]).actions, [SetAction::SetFinalizers(vec![])], "{text}");
    }
}

#[test]
fn a_machine_taken_out_of_a_set_survives_its_deletion() {
    let stray = labelled(member("m0", MachinePhase::Running), "pool", "b");
    let plan = planned(&dying(set(1)), &[stray]);
    assert_eq!(names(&plan), ["ReleaseMachine", "PatchStatus"]);
}

/// What of a template a plan brings onto machines.
fn updates(plan: &SetPlan) -> Vec<&TemplatePatch> {
    plan.actions
        .iter()
        .filter_map(|action| match action {
            SetAction::UpdateMachine(patch) => Some(&**patch),
            _ => None,
        })
        .collect()
}

#[test]
fn what_rolls_nothing_reaches_living_machines_and_only_those() {
    let mut set = set(5);
    let template = &mut set.spec.template.spec;
    template.configuration.drain_timeout = Some(GoDuration("5m".into()));
    template.node_template.metadata.labels = Some([("tier".to_owned(), "gold".to_owned())].into());
    let mut up_to_date = member("same", MachinePhase::Running);
    up_to_date.spec = set.spec.template.spec.clone();
    let machines = [
        member("old", MachinePhase::Running),
        member("failed", MachinePhase::Failed),
        member("ending", MachinePhase::Terminating),
        deleting(member("deleted", MachinePhase::Running), 1),
        up_to_date,
    ];
    let plan = planned(&set, &machines);
    let patches = updates(&plan);
    assert_eq!(patches.len(), 1, "{plan:?}");
    assert_eq!(patches[0].name, "old");
    assert_eq!(patches[0].node_template, set.spec.template.spec.node_template);
    assert_eq!(patches[0].configuration, set.spec.template.spec.configuration);
    assert_eq!(patches[0].class.name, "small");
}

#[test]
fn another_class_in_the_template_never_reaches_existing_machines() {
    let mut set = set(1);
    set.spec.template.spec.class.name = "large".into();
    assert_eq!(names(&planned(&set, &members(1))), ["PatchStatus"]);
    set.spec.template.spec.class.kind = "Class".into();
    let plan = planned(&set, &members(1));
    let Some(SetAction::UpdateMachine(patch)) = plan.actions.first() else { panic!("{plan:?}") };
    assert_eq!((patch.class.name.as_str(), patch.class.kind.as_str()), ("small", "Class"));
}

#[test]
fn the_status_counts_what_is_there() {
    let mut set = set(6);
    set.metadata.generation = Some(7);
    set.spec.template.metadata.labels.get_or_insert_default().insert("tier".into(), "gold".into());
    let mut preserved = member("preserved", MachinePhase::Failed);
    preserved.status.current_status.preserve_expiry_time = time(1000);
    preserved.status.last_operation.state = OperationState::Failed;
    let mut failed = member("failed", MachinePhase::Failed);
    failed.status.last_operation.state = OperationState::Failed;
    failed.status.last_operation.description = "no quota".into();
    let machines = [
        labelled(member("running", MachinePhase::Running), "tier", "gold"),
        member("available", MachinePhase::Available),
        member("pending", MachinePhase::Pending),
        deleting(member("leaving", MachinePhase::Running), 1),
        failed,
        preserved,
    ];
    let plan = planned(&set, &machines);
    let status = status(&plan);
    assert_eq!((status.replicas, status.fully_labeled_replicas), (6, 1));
    assert_eq!((status.ready_replicas, status.available_replicas), (1, 2));
    assert_eq!(status.preserved_failed_replicas, 1);
    assert_eq!(status.observed_generation, 7);
    assert_eq!(status.selector, "pool=a");
    assert_eq!(status.last_operation.last_update_time, time(100));
    let [summary] = status.failed_machines.as_slice() else { panic!("{status:?}") };
    assert_eq!((summary.name.as_str(), summary.owner_ref.as_str()), ("failed", "web-56789"));
    assert_eq!(summary.provider_id, "local:///a/failed");
    assert_eq!(summary.last_operation.description, "no quota");
}

#[test]
fn conditions_of_others_stay() {
    let mut set = set(0);
    let theirs = MachineSetCondition {
        type_: "Audited".into(),
        status: "True".into(),
        ..MachineSetCondition::default()
    };
    set.status.conditions = vec![theirs.clone()];
    assert_eq!(status(&planned(&set, &[])).conditions, [theirs]);
}

#[test]
fn counts_are_written_once_a_second_at_most() {
    let memory = SetMemory { failure: None, status_written_at: Some(at(100)) };
    let plan = decide(&set(1), &members(1), &memory, at(100));
    assert_eq!(plan.actions, []);
    assert_eq!(plan.requeue, Requeue::After(std::time::Duration::from_secs(1)));
    assert_eq!(names(&decide(&set(1), &members(1), &memory, at(101))), ["PatchStatus"]);
}

#[test]
fn a_set_at_rest_asks_for_nothing() {
    let machines = members(3);
    let set = told(set(3), &machines);
    let plan = decide(&set, &machines, &SetMemory::default(), at(100_000));
    assert_eq!((plan.actions, plan.requeue), (vec![], Requeue::OnChange));
}

/// Gardener's own CRDs know no selector in the status.
#[test]
fn an_api_server_that_prunes_the_selector_is_not_written_to_for_ever() {
    let machines = members(3);
    let mut set = told(set(3), &machines);
    set.status.selector = String::new();
    assert_eq!(names(&planned(&set, &machines)), ["PatchStatus"], "it is tried once");
    let tried = SetMemory { failure: None, status_written_at: Some(at(0)) };
    assert_eq!(decide(&set, &machines, &tried, at(1000)).actions, []);
    let written = decide(&set, &members(2), &tried, at(1000));
    assert_eq!(status(&written).selector, "pool=a", "and goes along with what is news");
}

#[test]
fn the_kind_of_the_class_reaches_machines_on_their_way_out_and_nothing_else_does() {
    let mut set = set(2);
    set.spec.template.spec.configuration.drain_timeout = Some(GoDuration("5m".into()));
    set.spec.template.spec.class.kind = "Class".into();
    let machines =
        [member("failed", MachinePhase::Failed), deleting(member("gone", MachinePhase::Running), 1)];
    let plan = planned(&set, &machines);
    let patches = updates(&plan);
    assert_eq!(patches.len(), 2, "{plan:?}");
    for patch in patches {
        assert_eq!((patch.class.kind.as_str(), patch.class.name.as_str()), ("Class", "small"));
        assert_eq!(patch.configuration, machines[0].spec.configuration);
    }
}

#[test]
fn what_means_the_same_is_not_written_onto_machines() {
    let mut set = set(1);
    set.spec.template.spec.configuration.drain_timeout = Some(GoDuration("5m".into()));
    set.spec.template.spec.node_template.metadata.labels = Some(Default::default());
    let mut machine = member("m0", MachinePhase::Running);
    machine.spec.configuration.drain_timeout = Some(GoDuration("5m0s".into()));
    assert_eq!(names(&planned(&set, &[machine])), ["PatchStatus"]);
}
