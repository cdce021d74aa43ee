//! A cloud that accepts a creation or a deletion, goes on for a while, and then fails.

use millwright_api::{MachineCode, MachinePhase, OperationState};
use millwright_decide::MachineSettings;
use millwright_decide::machine::{CloudOperation, VmKnowledge, retry_delay};
use millwright_provider::Initialization;

use crate::fixtures::machine::{born, deleting, unborn, vm};
use crate::fixtures::situation::{Situation, look_after, names, status};
use crate::fixtures::time::{at, minutes};

fn creating(state: &str, ask_at: i64) -> VmKnowledge {
    VmKnowledge::Creating { provider_id: None, state: state.into(), ask_at: at(ask_at) }
}

/// A machine whose creation was accepted at second 0, and looked at until its next question at second 5.
fn accepted() -> Situation {
    let mut situation = Situation::of(unborn("m"));
    situation.memory.answered(creating("op-1", 5));
    let plan = situation.plan(0);
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(5)), ["CreateVm"]);
    situation
}

#[test]
fn a_creation_that_fails_after_it_was_accepted_is_shown_and_waited_for() {
    for (code, wait) in [
        (MachineCode::ResourceExhausted, 600),
        (MachineCode::Internal, 5),
        (MachineCode::Unauthenticated, 5),
        (MachineCode::Unavailable, 1),
    ] {
        let mut situation = accepted();
        situation.failed_with_state(CloudOperation::Create, code, "failed-1", 5);
        let plan = situation.plan(5);
        assert_eq!(names(&plan), ["PatchStatus"], "{code}");
        let written = status(&plan);
        assert_eq!(written.current_status.phase, MachinePhase::CrashLoopBackOff, "{code}");
        assert_eq!(written.last_operation.state, OperationState::Failed, "{code}");
        assert_eq!(written.last_operation.error_code, code.name());
        assert_eq!(written.last_known_state, "failed-1", "else the dead operation is asked about for ever");
        assert_eq!(look_after(&plan), Some(wait), "{code}");
        situation.obey(&plan);
        assert_eq!(names(&situation.plan(5)), [""; 0], "{code}");
        assert_eq!(names(&situation.plan(5 + i64::try_from(wait).unwrap())), ["CreateVm"], "{code}");
    }
}

#[test]
fn a_creation_that_is_accepted_and_fails_again_and_again_is_tried_more_and_more_seldom() {
    let mut situation = accepted();
    let settings = MachineSettings::default();
    let mut waits = Vec::new();
    for round in 0..5 {
        situation.failed_with_state(CloudOperation::Create, MachineCode::Internal, "", 10 * round);
        waits.push(retry_delay(situation.memory.failure.as_ref().unwrap(), &settings, 0.0).as_secs());
        situation.memory.answered(creating("op-2", 10 * round + 5));
    }
    assert_eq!(waits, [5, 10, 20, 40, 80]);
    situation.memory.answered(VmKnowledge::Present(vm("m", Initialization::Done)));
    situation.failed(CloudOperation::Create, MachineCode::Internal, "oops", 100);
    assert_eq!(situation.memory.failure.as_ref().unwrap().attempts, 1, "it had worked");
}

#[test]
fn a_deletion_that_is_accepted_and_fails_again_and_again_is_tried_more_and_more_seldom() {
    let mut situation = Situation::of(deleting(born("m", MachinePhase::Running), 0));
    for attempt in 1..5 {
        situation.memory.answered(VmKnowledge::Deleting { state: "op".into(), ask_at: at(0) });
        situation.memory.answered(VmKnowledge::Unproven);
        situation.failed(CloudOperation::Delete, MachineCode::Internal, "oops", 0);
        assert_eq!(situation.memory.failure.as_ref().unwrap().attempts, attempt);
    }
}

#[test]
fn a_failure_stays_said_while_the_next_attempt_is_under_way() {
    let mut situation = accepted();
    situation.failed(CloudOperation::Create, MachineCode::Internal, "image is broken", 5);
    let plan = situation.plan(5);
    situation.obey(&plan);
    for round in 1..4 {
        situation.memory.answered(creating("op-1", 60 * round));
        assert_eq!(names(&situation.plan(60 * round - 1)), [""; 0], "it does not alternate");
        situation.failed(CloudOperation::Create, MachineCode::Internal, "image is broken", 60 * round);
        assert_eq!(names(&situation.plan(60 * round)), [""; 0], "it was said");
    }
    situation.memory.answered(VmKnowledge::Present(vm("m", Initialization::Done)));
    let plan = situation.plan(300);
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Pending);
    assert_eq!(status(&plan).last_operation.error_code, "");
}

#[test]
fn a_class_that_appears_takes_back_the_word_that_it_is_missing() {
    let mut situation = Situation::of(unborn("m"));
    let class = situation.class.take();
    let plan = situation.plan(0);
    situation.obey(&plan);
    situation.class = class;
    situation.memory.answered(creating("op-1", 30));
    assert_eq!(status(&situation.plan(10)).last_operation.state, OperationState::Processing);
}

#[test]
fn a_wait_for_room_never_puts_off_that_the_machine_is_given_up() {
    let mut situation = Situation::of(unborn("m"));
    situation.settings.resource_exhausted_retry = std::time::Duration::from_secs(3600);
    situation.failed(CloudOperation::Create, MachineCode::ResourceExhausted, "no room", 10);
    let plan = situation.plan(10);
    situation.obey(&plan);
    assert_eq!(look_after(&plan), Some(u64::try_from(minutes(20)).unwrap() - 10 + 1));
    let plan = situation.plan(minutes(20) + 1);
    assert_eq!(names(&plan), ["PatchStatus"]);
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Failed);
    assert_eq!(status(&plan).last_operation.error_code, "ResourceExhausted");
    let mut endless = Situation::of(unborn("m"));
    endless.memory.answered(creating("op-1", minutes(30)));
    assert_eq!(look_after(&endless.plan(minutes(19))), Some(61));
}

#[test]
fn a_class_that_asks_for_less_is_tried_at_once_where_there_was_no_room() {
    let mut situation = Situation::of(unborn("m"));
    situation.failed(CloudOperation::Create, MachineCode::ResourceExhausted, "no large one", 0);
    let plan = situation.plan(0);
    situation.obey(&plan);
    situation.memory.mended();
    assert_eq!(names(&situation.plan(1)), [""; 0], "credentials that change make no room");
    situation.memory.class_changed();
    assert_eq!(names(&situation.plan(1)), ["CreateVm"]);
}

#[test]
fn a_deletion_that_failed_after_it_was_accepted_is_asked_for_anew_with_the_state_it_left() {
    let mut situation = Situation::of(deleting(born("m", MachinePhase::Running), 0));
    situation.memory.answered(VmKnowledge::Deleting { state: "delete op-9".into(), ask_at: at(5) });
    let plan = situation.plan(1);
    situation.obey(&plan);
    assert_eq!(situation.machine.status.last_known_state, "delete op-9");
    situation.failed_with_state(CloudOperation::Delete, MachineCode::Internal, "nothing", 5);
    let plan = situation.plan(5);
    assert_eq!(names(&plan), ["PatchStatus"]);
    assert_eq!(status(&plan).last_known_state, "nothing", "for the process that comes after this one");
    assert_eq!(situation.memory.state.as_deref(), Some("nothing"));
    situation.obey(&plan);
    // The words are the same, and yet it is news.
    situation.failed_with_state(CloudOperation::Delete, MachineCode::Internal, "less", 10);
    assert_eq!(status(&situation.plan(10)).last_known_state, "less");
    situation.memory.answered(VmKnowledge::Gone);
    assert_eq!(situation.memory.state.as_deref(), Some(""));
}

#[test]
fn a_deletion_in_the_middle_of_a_creation_knows_what_goes_on() {
    let mut situation = accepted();
    situation.memory.answered(creating("op-2", 10));
    situation.machine = deleting(situation.machine, 6);
    assert_eq!(names(&situation.plan(6)), ["DeleteVm"]);
    assert_eq!(situation.memory.state.as_deref(), Some("op-2"), "although the status never said so");
}

#[test]
fn a_machine_whose_vm_was_never_finished_is_no_recovered_one_when_its_kubelet_joins() {
    let missing = Initialization::Missing { reason: "no source check".into() };
    let mut situation = Situation::of(unborn("m"));
    situation.memory.answered(VmKnowledge::Present(vm("m", missing)));
    let plan = situation.plan(1);
    situation.obey(&plan);
    let denied = MachineCode::PermissionDenied;
    situation.failed(CloudOperation::Initialize, denied, "may not modify interfaces", minutes(21));
    let plan = situation.plan(minutes(21));
    situation.obey(&plan);
    assert_eq!(situation.machine.status.current_status.phase, MachinePhase::Failed);
    situation.node = Some(crate::fixtures::node::ready("m"));
    for minute in [22, 60] {
        let plan = situation.plan(minutes(minute));
        situation.obey(&plan);
        let status = &situation.machine.status;
        assert_eq!(status.current_status.phase, MachinePhase::Failed, "its set replaces it");
        assert_eq!(status.last_operation.error_code, "PermissionDenied");
    }
}

#[test]
fn a_machine_that_only_joined_too_late_is_a_recovered_one() {
    let mut situation = Situation::of(born("m", MachinePhase::Pending));
    let plan = situation.plan(minutes(21));
    situation.obey(&plan);
    assert_eq!(situation.machine.status.current_status.phase, MachinePhase::Failed);
    situation.node = Some(crate::fixtures::node::ready("m"));
    assert_eq!(status(&situation.plan(minutes(22))).current_status.phase, MachinePhase::Running);
}

#[test]
fn the_vm_of_an_old_nodes_name_is_not_deleted_without_a_pause_when_its_deletion_fails_late() {
    let mut situation = Situation::of(unborn("m"));
    situation.machine.status.current_status.phase = MachinePhase::Failed;
    situation.machine.status.last_operation.description = "VM using old node obj: gone".into();
    situation.memory.answered(VmKnowledge::Deleting { state: "op".into(), ask_at: at(5) });
    let plan = situation.plan(0);
    assert_eq!(status(&plan).last_known_state, "op");
    situation.obey(&plan);
    assert_eq!(look_after(&situation.plan(0)), Some(5));
    assert_eq!(names(&situation.plan(5)), ["DeleteVm"]);
    situation.failed(CloudOperation::Delete, MachineCode::Internal, "busy", 5);
    assert_eq!(names(&situation.plan(5)), [""; 0]);
    assert_eq!(look_after(&situation.plan(5)), Some(5));
    assert_eq!(names(&situation.plan(10)), ["DeleteVm"]);
}
