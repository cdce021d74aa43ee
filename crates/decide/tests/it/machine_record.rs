//! What is recorded of a VM is what it was asked for with, from the first asking on; and a birth that is turned to another place
//! leaves nothing at the old one.

use millwright_api::{ClassRecord, Machine, MachineClass, MachineCode, MachinePhase};
use millwright_decide::machine::{CloudOperation, RecordedPlace, VmKnowledge};
use millwright_provider::Initialization;
use serde_json::json;

use crate::fixtures::machine::{deleting, unborn, vm};
use crate::fixtures::situation::{Situation, held_class, look_after, names, status};
use crate::fixtures::time::{at, minutes};

fn class(zone: &str) -> MachineClass {
    let mut class = held_class();
    class.provider = "local".into();
    class.provider_spec = json!({"zone": zone});
    class
}

fn record(zone: &str) -> ClassRecord {
    ClassRecord::of(&class(zone))
}

/// A VM was asked for in zone a; since then the class names zone b.
fn turned() -> Situation {
    let mut situation = Situation { class: Some(class("a")), ..Situation::of(unborn("m")) };
    situation.memory.asks_with(record("a"));
    situation.class = Some(class("b"));
    situation.recorded_place = RecordedPlace::Elsewhere;
    situation
}

fn creating(seconds: i64) -> VmKnowledge {
    VmKnowledge::Creating { provider_id: None, state: "op".into(), ask_at: at(seconds) }
}

fn recorded(machine: &Machine) -> Option<ClassRecord> {
    ClassRecord::on(machine)
}

#[test]
fn a_class_that_is_turned_elsewhere_while_a_vm_is_made_never_changes_where_that_is_looked_for() {
    let mut situation = turned();
    situation.memory.answered(creating(0));
    let plan = situation.plan(0);
    assert_eq!(names(&plan), ["PatchStatus", "CreateVm"], "it is resumed");
    situation.obey(&plan);
    assert_eq!(recorded(&situation.machine), Some(record("a")));
    situation.memory.answered(VmKnowledge::Present(vm("m", Initialization::Done)));
    situation.obey(&situation.plan(1));
    assert_eq!(recorded(&situation.machine), Some(record("a")), "and is recorded where it is");
    // Another process knows no more than the status.
    situation.memory = Default::default();
    situation.obey(&situation.plan(2));
    assert_eq!(recorded(&situation.machine), Some(record("a")));
}

#[test]
fn a_status_that_is_written_before_any_vm_was_asked_for_records_none() {
    let mut loose = class("a");
    loose.metadata.finalizers = None;
    let mut situation = Situation { class: Some(loose), ..Situation::of(unborn("m")) };
    let plan = situation.plan(10);
    assert_eq!(names(&plan), ["PatchStatus"]);
    situation.obey(&plan);
    assert_eq!(recorded(&situation.machine), None);
}

#[test]
fn a_failed_birth_leaves_nothing_at_the_old_place_before_it_asks_at_the_new_one() {
    let mut situation = turned();
    situation.failed(CloudOperation::Create, MachineCode::DeadlineExceeded, "no answer", 0);
    let plan = situation.plan(minutes(10));
    assert_eq!(names(&plan), ["PatchStatus", "DeleteVm"]);
    situation.obey(&plan);
    situation.memory.answered(VmKnowledge::Deleting { state: "going".into(), ask_at: at(minutes(11)) });
    let plan = situation.plan(minutes(10));
    assert_eq!((names(&plan), look_after(&plan)), (vec![], Some(60)));
    assert_eq!(names(&situation.plan(minutes(11))), ["DeleteVm"]);
    situation.memory.answered(VmKnowledge::Unproven);
    assert_eq!(names(&situation.plan(minutes(11))), [""; 0]);
    assert_eq!(recorded(&situation.machine), Some(record("a")));
    situation.memory.answered(VmKnowledge::Gone);
    let plan = situation.plan(minutes(12));
    assert_eq!(names(&plan), ["PatchStatus"], "a crash after the next call must look there");
    situation.obey(&plan);
    assert_eq!(recorded(&situation.machine), Some(record("b")));
    situation.recorded_place = RecordedPlace::OfClass;
    assert_eq!(names(&situation.plan(minutes(12))), ["CreateVm"]);
}

#[test]
fn an_old_place_that_can_not_be_emptied_is_asked_with_growing_waits_until_the_machine_is_given_up() {
    let mut situation = turned();
    situation.failed(CloudOperation::Delete, MachineCode::Unauthenticated, "who are you", 0);
    situation.obey(&situation.plan(0));
    assert_eq!((names(&situation.plan(1)), look_after(&situation.plan(1))), (vec![], Some(4)));
    assert_eq!(names(&situation.plan(5)), ["DeleteVm"]);
    let plan = situation.plan(minutes(21));
    assert_eq!(names(&plan), ["PatchStatus"]);
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Failed);
}

#[test]
fn a_vm_that_is_asked_for_again_is_never_taken_for_gone() {
    let mut situation = Situation { class: Some(class("a")), ..Situation::of(unborn("m")) };
    situation.memory.answered(VmKnowledge::Gone);
    situation.memory.asks_with(record("a"));
    situation.failed(CloudOperation::Create, MachineCode::DeadlineExceeded, "no answer", 0);
    situation.machine = deleting(situation.machine, 1);
    assert_eq!(names(&situation.plan(1)), ["FindVm"]);
}

#[test]
fn what_was_asked_for_is_deleted_by_what_is_remembered_when_class_and_record_are_gone() {
    let mut situation = Situation { class: None, ..Situation::of(deleting(unborn("m"), 0)) };
    situation.memory.asks_with(record("a"));
    situation.failed(CloudOperation::Status, MachineCode::NotFound, "none", 0);
    assert_eq!(names(&situation.plan(0)), ["DeleteVm"]);
}
