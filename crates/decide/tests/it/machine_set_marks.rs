//! Machines that the Gardener autoscaler chose: deleted once each, and never with others in their place.

use millwright_api::keys::annotations::{
    LAST_REPLICA_CHANGE_BY_SCALER, MACHINE_PRIORITY, MARKED_FOR_DELETION_TIME,
};
use millwright_api::keys::labels;
use millwright_api::{Machine, MachinePhase, MachineSet};

use crate::fixtures::machine::{annotated, deleting, labelled};
use crate::fixtures::set::{creations, deletions, member, members, planned, set};
use crate::fixtures::set_world::SetWorld;
use crate::fixtures::time::time;

const EARLY: &str = "2026-03-01T10:00:00Z";
const LATE: &str = "2026-03-01T10:05:00Z";

fn marked(name: &str, at: &str) -> Machine {
    let machine = annotated(member(name, MachinePhase::Running), MACHINE_PRIORITY, "1");
    annotated(machine, MARKED_FOR_DELETION_TIME, at)
}

fn told(mut set: MachineSet, at: &str) -> MachineSet {
    set.metadata.annotations.get_or_insert_default().insert(LAST_REPLICA_CHANGE_BY_SCALER.into(), at.into());
    set
}

/// Two good machines and the marked one.
fn three(marked: Machine) -> Vec<Machine> {
    let mut machines = members(2);
    machines.push(marked);
    machines
}

#[test]
fn a_machine_marked_no_later_than_the_last_scaling_goes_without_surplus_and_is_replaced() {
    let mut world = SetWorld::of(told(set(3), EARLY), three(marked("chosen", EARLY)));
    world.settle();
    assert_eq!((world.deleted.as_slice(), world.made), (["chosen".to_owned()].as_slice(), 1));
    assert_eq!(world.running(), 3);
}

#[test]
fn a_mark_needs_the_priority_and_two_times_that_can_be_read() {
    let without_priority = annotated(member("m", MachinePhase::Running), MARKED_FOR_DELETION_TIME, EARLY);
    for (what, machine, changed, goes) in [
        ("same time", marked("m", EARLY), Some(EARLY), true),
        ("before", marked("m", EARLY), Some(LATE), true),
        ("before, in another zone", marked("m", "2026-03-01T11:00:00+01:00"), Some(EARLY), true),
        ("after", marked("m", LATE), Some(EARLY), false),
        ("no scaling is known", marked("m", EARLY), None, false),
        ("the scaling's time is no time", marked("m", EARLY), Some("yesterday"), false),
        ("the mark is no time", marked("m", "2026-03-01"), Some(LATE), false),
        ("priority 3", annotated(marked("m", EARLY), MACHINE_PRIORITY, "3"), Some(LATE), false),
        ("priority 01", annotated(marked("m", EARLY), MACHINE_PRIORITY, "01"), Some(LATE), false),
        ("no priority", without_priority, Some(LATE), false),
        ("on its way out", deleting(marked("m", EARLY), 50), Some(LATE), false),
    ] {
        let set = changed.map_or_else(|| set(3), |changed| told(set(3), changed));
        let plan = planned(&set, &three(machine));
        assert_eq!(deletions(&plan) == ["m"], goes, "{what}");
    }
}

/// Pull request 1068 of the predecessor.
#[test]
fn a_scale_down_of_a_marked_machine_never_makes_one_to_delete_it_again() {
    for (what, first_size) in [("size first", true), ("mark first", false)] {
        let mut world = SetWorld::of(set(3), three(marked("chosen", EARLY)));
        if first_size {
            world.set.spec.replicas = 2;
            world.step(usize::MAX);
            world.set = told(world.set, EARLY);
        } else {
            // The deployment writes both at once; seen apart they may only cost what a mark without scaling costs.
            world.set = told(world.set, EARLY);
            world.set.spec.replicas = 2;
        }
        world.settle();
        assert_eq!((world.deleted.len(), world.made), (1, 0), "{what}");
        assert_eq!(world.deleted, ["chosen"], "{what}");
    }
}

/// Pull requests 1084 and 1085 of the predecessor.
#[test]
fn a_scale_up_that_follows_the_scale_down_at_once_replaces_the_marked_and_no_other() {
    // The autoscaler went 3 -> 2 -> 3; the set sees only the end.
    let mut world = SetWorld::of(told(set(3), LATE), three(marked("chosen", EARLY)));
    world.settle();
    assert_eq!((world.deleted.as_slice(), world.made), (["chosen".to_owned()].as_slice(), 1));
}

#[test]
fn surplus_and_marks_never_delete_more_than_is_right() {
    // Kept machines go last by rank, and still are what the autoscaler chose.
    let mut kept = marked("kept", EARLY);
    kept.status.current_status.preserve_expiry_time = time(10_000);
    for (what, replicas, machines, gone) in [
        ("one too many, and it is the marked", 2, three(marked("chosen", EARLY)), vec!["chosen"]),
        ("one too many, and the marked one is kept", 2, three(kept.clone()), vec!["kept"]),
        ("none too many", 3, three(kept), vec!["kept"]),
        ("two too many, one marked", 1, three(marked("chosen", EARLY)), vec!["chosen", "m0"]),
        ("a mark that is not due ranks first", 2, three(marked("chosen", LATE)), vec!["chosen"]),
    ] {
        let plan = planned(&told(set(replicas), EARLY), &machines);
        assert_eq!(deletions(&plan), gone, "{what}");
    }
}

#[test]
fn a_marked_machine_waits_until_missing_ones_are_made_unless_none_may_be() {
    let mut world = SetWorld::of(told(set(4), EARLY), three(marked("chosen", EARLY)));
    let plan = world.plan();
    assert_eq!((creations(&plan).len(), deletions(&plan)), (1, vec![]));
    for key in [labels::FREEZE, labels::SCALE_UP_DISABLED] {
        let value = if key == labels::FREEZE { "True" } else { "true" };
        world.set.metadata.labels = Some([(key.to_owned(), value.to_owned())].into());
        let plan = world.plan();
        assert_eq!((creations(&plan).len(), deletions(&plan)), (0, vec!["chosen"]), "{key}");
    }
}

#[test]
fn a_machine_that_an_update_in_place_just_brought_is_never_surplus() {
    let arrived =
        |name: &str| labelled(member(name, MachinePhase::Running), labels::UPDATE_RESULT, "successful");
    let mut machines = members(1);
    machines.extend([arrived("a"), arrived("b")]);
    assert_eq!(deletions(&planned(&set(1), &machines)), [""; 0]);
    assert_eq!(creations(&planned(&set(3), &machines)).len(), 0, "and it counts");
    machines.push(member("m9", MachinePhase::Running));
    assert_eq!(deletions(&planned(&set(1), &machines)), ["m0"], "the others still are");
    machines[1].status.current_status.phase = MachinePhase::Failed;
    machines.pop();
    assert_eq!(deletions(&planned(&set(1), &machines)), [""; 0]);
}
