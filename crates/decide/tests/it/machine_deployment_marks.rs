//! Machines that Gardener's autoscaler chose to go: from the deployment's annotation onto the machines, before any set shrinks.

use millwright_api::keys::annotations::{
    LAST_REPLICA_CHANGE_BY_SCALER, MACHINE_PRIORITY, MARKED_FOR_DELETION_TIME, TRIGGER_DELETION,
};
use millwright_api::{Machine, MachineDeployment, MachinePhase, MachineSet, ObjectView};
use millwright_decide::Member;
use millwright_decide::deployment::{DeploymentAction, DeploymentPlan, Lock, MachineMarks, SetFacts};

use crate::fixtures::deployment::{
    deployment, deployment_patches, facts, names, patches, planned, set_of, sizes, told,
};
use crate::fixtures::machine::{annotated, deleting};
use crate::fixtures::set::member;
use crate::fixtures::time::at;

const THEN: &str = "2026-11-21T08:00:00Z";

/// A deployment whose autoscaler has left these annotations.
fn asked(replicas: i32, annotations: &[(&str, &str)]) -> MachineDeployment {
    let mut deployment = deployment(replicas);
    let map = deployment.metadata.annotations.get_or_insert_default();
    map.extend(annotations.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())));
    deployment
}

fn running(names: &[&str]) -> Vec<Machine> {
    names.iter().map(|name| member(name, MachinePhase::Running)).collect()
}

fn having<'a>(set: &'a MachineSet, machines: &'a [Machine]) -> SetFacts<'a> {
    let count = i32::try_from(machines.len()).unwrap();
    let members = machines.iter().map(|machine| Member { machine, node: None }).collect();
    SetFacts { members, ..facts(set, count, count) }
}

fn marks(plan: &DeploymentPlan) -> Vec<&MachineMarks> {
    plan.actions
        .iter()
        .filter_map(|action| match action {
            DeploymentAction::PatchMachine(marks) => Some(marks),
            _ => None,
        })
        .collect()
}

/// What the annotation becomes: nothing when it is not written, `Some(None)` when it is removed.
fn tidied(plan: &DeploymentPlan) -> Option<Option<String>> {
    deployment_patches(plan).iter().find_map(|patch| patch.annotations.get(TRIGGER_DELETION).cloned())
}

#[test]
fn the_machines_of_a_scale_down_are_marked_before_its_set_shrinks() {
    let deployment =
        asked(2, &[(TRIGGER_DELETION, &format!("m1~{THEN}")), (LAST_REPLICA_CHANGE_BY_SCALER, THEN)]);
    let set = set_of(&deployment, "small", 1, 3, 3);
    let machines = running(&["m0", "m1", "m2"]);
    let plan = planned(&deployment, &[having(&set, &machines)]);
    let [mark] = marks(&plan)[..] else { panic!("one machine was chosen: {plan:?}") };
    assert_eq!((mark.name.as_str(), mark.uid.as_str()), ("m1", "uid-m1"));
    assert!(mark.labels.is_empty());
    let expected = [
        (MACHINE_PRIORITY.to_owned(), Some("1".to_owned())),
        (MARKED_FOR_DELETION_TIME.to_owned(), Some(THEN.to_owned())),
    ];
    assert_eq!(mark.annotations, expected.into());
    assert_eq!(sizes(&plan), ["web-small 3 -> 2"]);
    assert_eq!(names(&plan)[..2], ["PatchMachine", "PatchSet"]);
    assert_eq!(tidied(&plan), None, "the autoscaler counts by it what it has asked for");
    // A set that had the time before its size would replace the machine.
    let early = patches(&plan).iter().any(|patch| {
        patch.replicas.is_none() && patch.annotations.contains_key(LAST_REPLICA_CHANGE_BY_SCALER)
    });
    assert!(!early, "{plan:?}");
}

/// The machine as a look before has left it.
fn marked(machine: Machine) -> Machine {
    annotated(annotated(machine, MARKED_FOR_DELETION_TIME, THEN), MACHINE_PRIORITY, "1")
}

#[test]
fn a_machine_that_is_marked_already_is_not_written_again() {
    let deployment = asked(3, &[(TRIGGER_DELETION, "m1~2026-11-21T09:00:00Z")]);
    let set = set_of(&deployment, "small", 1, 3, 3);
    let mut machines = running(&["m0", "m1", "m2"]);
    machines[1] = marked(machines[1].clone());
    let facts = [having(&set, &machines)];
    let deployment = told(deployment, &facts, 100);
    assert_eq!(names(&planned(&deployment, &facts)), [""; 0]);
    // The first mark stays, and only the priority is mended.
    machines[1] = annotated(machines[1].clone(), MACHINE_PRIORITY, "3");
    let plan = planned(&deployment, &[having(&set, &machines)]);
    assert_eq!(marks(&plan)[0].annotations, [(MACHINE_PRIORITY.to_owned(), Some("1".to_owned()))].into());
}

#[test]
fn entries_that_nobody_can_act_on_leave_the_annotation() {
    let m1 = format!("m1~{THEN}");
    for (text, left) in [
        (m1.as_str(), None),
        (&format!("{m1},gone~{THEN}"), Some(Some(m1.clone()))),
        (&format!("failed~{THEN},{m1}"), Some(Some(m1.clone()))),
        (&format!("leaving~{THEN},{m1}"), Some(Some(m1.clone()))),
        (&format!("ending~{THEN},{m1}"), Some(Some(m1.clone()))),
        (&format!("{m1},{m1}"), Some(Some(m1.clone()))),
        (&format!("{m1},"), Some(Some(m1.clone()))),
        (&format!("{m1}, m2~{THEN}"), Some(Some(format!("{m1},m2~{THEN}")))),
        ("m1~yesterday", Some(None)),
        (&format!("{m1}~{THEN}"), Some(None)),
        (&format!("~{THEN}"), Some(None)),
        (&format!("gone~{THEN}"), Some(None)),
        ("", None),
    ] {
        let deployment = asked(6, &[(TRIGGER_DELETION, text), (LAST_REPLICA_CHANGE_BY_SCALER, THEN)]);
        let set = set_of(&deployment, "small", 1, 6, 6);
        let mut machines = running(&["m0", "m1", "m2"]);
        machines.push(member("failed", MachinePhase::Failed));
        machines.push(member("ending", MachinePhase::Terminating));
        machines.push(deleting(member("leaving", MachinePhase::Running), 50));
        let plan = planned(&deployment, &[having(&set, &machines)]);
        assert_eq!(tidied(&plan), left, "{text:?}");
        if left.is_some() {
            let lock = deployment_patches(&plan)[0].lock;
            assert_eq!(lock, Lock::Version, "the autoscaler may just have added to it");
        }
        let named: Vec<&str> = marks(&plan).iter().map(|marks| marks.name.as_str()).collect();
        let kept = left.unwrap_or_else(|| Some(text.to_owned())).unwrap_or_default();
        let expected: Vec<&str> = kept.split(',').filter_map(|entry| entry.split('~').next()).collect();
        assert_eq!(
            named,
            expected.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>(),
            "{text:?}"
        );
    }
}

#[test]
fn names_without_a_time_get_that_of_the_autoscalers_last_change() {
    let deployment = asked(2, &[(TRIGGER_DELETION, "m1"), (LAST_REPLICA_CHANGE_BY_SCALER, THEN)]);
    let set = set_of(&deployment, "small", 1, 3, 3);
    let machines = running(&["m0", "m1", "m2"]);
    let plan = planned(&deployment, &[having(&set, &machines)]);
    assert_eq!(tidied(&plan), Some(Some(format!("m1~{THEN}"))));
    assert_eq!(marks(&plan)[0].annotations[MARKED_FOR_DELETION_TIME].as_deref(), Some(THEN));
    assert!(!deployment_patches(&plan)[0].annotations.contains_key(LAST_REPLICA_CHANGE_BY_SCALER));
}

#[test]
fn names_without_a_time_are_never_as_old_as_a_change_that_the_set_knows_already() {
    let now = at(100).to_string();
    for last in [None, Some("garbage"), Some(THEN)] {
        let mut deployment = asked(2, &[(TRIGGER_DELETION, "m1,m2")]);
        let mut set = set_of(&deployment, "small", 1, 3, 3);
        if let Some(last) = last {
            let entry = || [(LAST_REPLICA_CHANGE_BY_SCALER.to_owned(), last.to_owned())];
            deployment.metadata.annotations.get_or_insert_default().extend(entry());
            set.metadata.annotations.get_or_insert_default().extend(entry());
        }
        let machines = running(&["m0", "m1", "m2"]);
        let plan = planned(&deployment, &[having(&set, &machines)]);
        let written = &deployment_patches(&plan)[0].annotations;
        assert_eq!(written[TRIGGER_DELETION], Some(format!("m1~{now},m2~{now}")), "{last:?}");
        assert_eq!(written[LAST_REPLICA_CHANGE_BY_SCALER].as_ref(), Some(&now), "{last:?}");
        for mark in marks(&plan) {
            assert_eq!(mark.annotations[MARKED_FOR_DELETION_TIME].as_ref(), Some(&now), "{last:?}");
        }
    }
}

#[test]
fn a_mark_stays_when_the_annotation_does_not_name_its_machine_any_more() {
    let deployment = deployment(3);
    let set = set_of(&deployment, "small", 1, 3, 3);
    let mut machines = running(&["m0", "m1", "m2"]);
    machines[1] = marked(machines[1].clone());
    let facts = [having(&set, &machines)];
    let deployment = told(deployment, &facts, 100);
    assert_eq!(names(&planned(&deployment, &facts)), [""; 0]);
}

#[test]
fn machines_of_other_deployments_are_not_marked() {
    let deployment = asked(3, &[(TRIGGER_DELETION, &format!("m1~{THEN}"))]);
    let set = set_of(&deployment, "small", 1, 3, 3);
    let mut foreign = set_of(&deployment, "large", 2, 1, 1);
    foreign.metadata.owner_references.as_mut().unwrap()[0].uid = "uid-other".into();
    let (own, other) = (running(&["m0"]), running(&["m1"]));
    let plan = planned(&deployment, &[having(&set, &own), having(&foreign, &other)]);
    assert!(marks(&plan).is_empty(), "{plan:?}");
}

#[test]
fn machines_of_old_sets_are_marked_too() {
    let mut deployment = asked(3, &[(TRIGGER_DELETION, &format!("m1~{THEN}"))]);
    let old = set_of(&deployment, "small", 1, 3, 3);
    deployment.spec.template.spec.class.name = "large".into();
    let machines = running(&["m0", "m1", "m2"]);
    let plan = planned(&deployment, &[having(&old, &machines)]);
    assert_eq!(marks(&plan)[0].name, "m1");
}

/// machine-controller-manager #1085: the size went down and up again before anybody looked, and the drained machine stayed.
#[test]
fn a_scale_down_that_was_taken_back_before_anybody_saw_it_still_reaches_the_set() {
    for paused in [false, true] {
        let mut deployment =
            asked(3, &[(TRIGGER_DELETION, &format!("m1~{THEN}")), (LAST_REPLICA_CHANGE_BY_SCALER, THEN)]);
        deployment.spec.paused = paused;
        let mut set = set_of(&deployment, "small", 1, 3, 3);
        let mut machines = running(&["m0", "m1", "m2"]);
        let plan = planned(&deployment, &[having(&set, &machines)]);
        assert_eq!(marks(&plan)[0].name, "m1");
        let marked = annotated(machines[1].clone(), MARKED_FOR_DELETION_TIME, THEN);
        machines[1] = annotated(marked, MACHINE_PRIORITY, "1");
        let plan = planned(&deployment, &[having(&set, &machines)]);
        let [patch] = patches(&plan)[..] else { panic!("paused {paused}: {plan:?}") };
        assert_eq!(patch.annotations.get(LAST_REPLICA_CHANGE_BY_SCALER).map(String::as_str), Some(THEN));
        assert_eq!(patch.replicas, None);
        set.metadata.annotations.get_or_insert_default().extend(patch.annotations.clone());
        let plan = planned(&deployment, &[having(&set, &machines)]);
        assert!(patches(&plan).is_empty(), "paused {paused}: {plan:?}");
        assert_eq!(set.name(), "web-small");
    }
}
