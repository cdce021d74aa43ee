//! What is recorded of a VM is what it was asked for with, from the first asking on; and a birth that is turned to another place
//! leaves nothing at the old one.

use k8s_openapi::api::core::v1::SecretReference;
use millwright_api::{ClassRecord, Machine, MachineClass, MachineCode, MachinePhase};
use millwright_decide::machine::{Additions, CloudOperation, VmClass, VmKnowledge};
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
    situation.vm_class = VmClass::Recorded;
    situation
}

fn creating(seconds: i64) -> VmKnowledge {
    VmKnowledge::Creating { provider_id: None, state: "op".into(), ask_at: at(seconds) }
}

fn deleting_until(seconds: i64) -> VmKnowledge {
    VmKnowledge::Deleting { state: "going".into(), ask_at: at(seconds) }
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
    situation.memory.answered(deleting_until(minutes(11)));
    let plan = situation.plan(minutes(10));
    assert_eq!((names(&plan), look_after(&plan)), (vec!["PatchStatus"], Some(60)));
    situation.obey(&plan);
    assert_eq!(situation.machine.status.last_known_state, "going");
    assert_eq!(names(&situation.plan(minutes(11))), ["DeleteVm"]);
    situation.memory.answered(VmKnowledge::Unproven);
    assert_eq!(names(&situation.plan(minutes(11))), [""; 0]);
    assert_eq!(recorded(&situation.machine), Some(record("a")));
    situation.memory.answered(VmKnowledge::Gone);
    let plan = situation.plan(minutes(12));
    assert_eq!(names(&plan), ["PatchStatus"], "a crash after the next call must not look here any more");
    situation.obey(&plan);
    assert_eq!(recorded(&situation.machine), None, "nothing was asked for at the new place yet");
    let said = &situation.machine.status.last_operation;
    assert!(!said.description.contains("says no longer") && said.error_code.is_empty(), "{said:?}");
    situation.vm_class = VmClass::Current;
    assert_eq!(names(&situation.plan(minutes(12))), ["CreateVm"]);
}

#[test]
fn a_birth_never_hides_which_recorded_place_it_waits_for() {
    let mut situation = turned();
    let mut asked = class("a");
    asked.secret_ref = Some(SecretReference { name: Some("old-cloud".into()), namespace: None });
    situation.machine.metadata.namespace = Some("fleet".into());
    situation.memory.asks_with(ClassRecord::of(&asked));
    for (operation, code) in [
        (CloudOperation::Create, MachineCode::DeadlineExceeded),
        (CloudOperation::Delete, MachineCode::Unavailable),
    ] {
        situation.failed(operation, code, "no such host", 0);
        let plan = situation.plan(0);
        let said = status(&plan).last_operation.clone();
        for part in ["\"small\"", "\"local\"", "\"fleet/old-cloud\"", "createdWithClass", "no such host"] {
            assert!(said.description.contains(part), "{part}: {said:?}");
        }
        assert_eq!(said.error_code, code.name());
        situation.obey(&plan);
    }
    // Nothing was refused: it says so all the same, once.
    situation.machine.status.last_operation = Default::default();
    situation.memory.answered(VmKnowledge::Unproven);
    let plan = situation.plan(0);
    assert!(status(&plan).last_operation.description.contains("\"fleet/old-cloud\""), "{plan:?}");
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(1)), [""; 0]);
}

#[test]
fn a_machine_never_waits_for_its_old_place_longer_than_a_birth_may_take() {
    for vm in [VmKnowledge::Unproven, deleting_until(minutes(60))] {
        let mut situation = turned();
        situation.failed(CloudOperation::Create, MachineCode::DeadlineExceeded, "no answer", 0);
        situation.obey(&situation.plan(minutes(10)));
        situation.memory.answered(vm.clone());
        let plan = situation.plan(minutes(15));
        assert_eq!(look_after(&plan), Some(5 * 60 + 1), "{vm:?}");
        situation.obey(&plan);
        let plan = situation.plan(minutes(20) + 1);
        assert_eq!(names(&plan), ["PatchStatus"], "{vm:?}");
        assert_eq!(status(&plan).current_status.phase, MachinePhase::Failed);
        assert!(status(&plan).last_operation.description.contains("after 20 minutes"), "{plan:?}");
    }
}

#[test]
fn a_process_that_finds_an_old_place_being_left_never_makes_a_vm_there() {
    let mut situation = turned();
    situation.failed(CloudOperation::Create, MachineCode::DeadlineExceeded, "no answer", 0);
    situation.obey(&situation.plan(minutes(1)));
    assert_eq!(recorded(&situation.machine), Some(record("a")));
    situation.memory = Default::default();
    assert_eq!(names(&situation.plan(minutes(1))), ["DeleteVm"]);
    // The class was turned back: there it may be made.
    situation.vm_class = VmClass::Current;
    assert_eq!(names(&situation.plan(minutes(1))), ["CreateVm"]);
    // One that was only begun goes on.
    let mut begun = turned();
    begun.memory.answered(creating(0));
    begun.obey(&begun.plan(0));
    begun.memory = Default::default();
    assert_eq!(names(&begun.plan(1)), ["CreateVm"]);
}

#[test]
fn a_deletion_that_fails_at_a_recorded_place_never_hides_which() {
    let mut situation = turned();
    situation.machine = deleting(situation.machine, 0);
    situation.failed(CloudOperation::Delete, MachineCode::Unavailable, "no such host", 0);
    let plan = situation.plan(0);
    let said = status(&plan).last_operation.description.clone();
    for part in ["no such host", "provider \"local\"", "\"small\" says no longer", "Will retry."] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_machine_that_is_deleted_while_its_first_vm_is_asked_for_never_forgets_where() {
    let mut situation = Situation { class: Some(class("a")), ..Situation::of(deleting(unborn("m"), 0)) };
    situation.memory.asks_with(record("a"));
    situation.failed(CloudOperation::Create, MachineCode::DeadlineExceeded, "no answer", 0);
    let plan = situation.plan(0);
    assert_eq!(names(&plan), ["PatchStatus", "FindVm"]);
    situation.obey(&plan);
    assert_eq!(recorded(&situation.machine), Some(record("a")));
    assert_eq!(names(&situation.plan(1)), ["FindVm"], "it is written once");
    // With a status that is written anyway.
    situation.machine.status.created_with_class = String::new();
    situation.failed(CloudOperation::Delete, MachineCode::Unavailable, "busy", 1);
    let plan = situation.plan(1);
    assert_eq!(status(&plan).created_with_class, record("a").to_text());
    // Where it is dropped, nothing waits for it.
    situation.memory.additions = Additions::Dropped;
    situation.memory.failure = None;
    assert_eq!(names(&situation.plan(2)), ["FindVm"]);
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
    assert_eq!(names(&situation.plan(1)), ["PatchStatus", "FindVm"]);
}

#[test]
fn what_was_asked_for_is_deleted_by_what_is_remembered_when_class_and_record_are_gone() {
    let mut situation = Situation { class: None, ..Situation::of(deleting(unborn("m"), 0)) };
    situation.memory.asks_with(record("a"));
    situation.failed(CloudOperation::Status, MachineCode::NotFound, "none", 0);
    assert_eq!(names(&situation.plan(0)), ["PatchStatus", "DeleteVm"]);
}
