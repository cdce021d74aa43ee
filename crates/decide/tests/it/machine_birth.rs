//! From a Machine object to a VM on its way to become a node.

use k8s_openapi::api::core::v1::NodeAddress;
use millwright_api::keys::{annotations, finalizers, labels};
use millwright_api::{MachineCode, MachinePhase, OperationState, OperationType};
use millwright_decide::machine::{BootstrapToken, CloudOperation, VmKnowledge};
use millwright_decide::{Freeze, TargetCluster};
use millwright_provider::{Initialization, Instance};

use crate::fixtures::machine::{annotated, created, unborn, vm};
use crate::fixtures::node::registered;
use crate::fixtures::situation::{Situation, held_class, look_after, machine_patch, names, status};
use crate::fixtures::time::{at, minutes, time};

/// A machine for which a creation failed at a second.
fn failing(code: MachineCode, message: &str, seconds: i64) -> Situation {
    let mut situation = Situation::of(unborn("m"));
    situation.failed(CloudOperation::Create, code, message, seconds);
    situation
}

#[test]
fn the_finalizer_comes_before_anything_that_must_be_deleted() {
    let mut situation = Situation::of(created("m"));
    situation.machine.metadata.finalizers = Some(vec!["z.example.com/other".into()]);
    let plan = situation.plan(0);
    assert_eq!(names(&plan), ["PatchMachine"]);
    let finalizers = machine_patch(&plan).finalizers.clone().unwrap();
    assert_eq!(finalizers, [finalizers::MACHINE, "z.example.com/other"]);
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(0)), ["CreateVm"]);
}

#[test]
fn a_failed_creation_shows_its_code_and_text_and_is_tried_again() {
    let situation = failing(MachineCode::PermissionDenied, "key m-1 may not run instances", 10);
    let plan = situation.plan(10);
    let status = status(&plan);
    assert_eq!(status.current_status.phase, MachinePhase::CrashLoopBackOff);
    assert_eq!(status.phase, "CrashLoopBackOff");
    assert!(status.current_status.timeout_active);
    assert_eq!(status.last_operation.type_, OperationType::Create);
    assert_eq!(status.last_operation.state, OperationState::Failed);
    assert_eq!(status.last_operation.error_code, "PermissionDenied");
    assert_eq!(
        status.last_operation.description,
        "Cloud provider message - machine codes error: code = [PermissionDenied] \
         message = [key m-1 may not run instances]"
    );
    assert_eq!(look_after(&plan), Some(5));
    assert_eq!(names(&situation.plan(15)), ["PatchStatus", "CreateVm"]);
}

#[test]
fn the_same_failure_with_another_request_id_costs_no_write() {
    let mut situation = failing(MachineCode::Internal, "try later, request id 7f3a-91", 0);
    let plan = situation.plan(0);
    situation.obey(&plan);
    situation.failed(CloudOperation::Create, MachineCode::Internal, "try later, request id 02bc-44", 5);
    assert_eq!(names(&situation.plan(5)), [""; 0]);
}

#[test]
fn another_reason_under_the_same_code_is_never_hidden_behind_the_first() {
    let mut situation = failing(MachineCode::Internal, "image is unknown", 0);
    let plan = situation.plan(0);
    situation.obey(&plan);
    situation.failed(CloudOperation::Create, MachineCode::Internal, "subnet is full", 5);
    let plan = situation.plan(5);
    assert!(status(&plan).last_operation.description.contains("subnet is full"), "{plan:?}");
    situation.obey(&plan);
    situation.failed(CloudOperation::Create, MachineCode::Unavailable, "subnet is full", 6);
    assert_eq!(status(&situation.plan(6)).last_operation.error_code, "Unavailable");
}

#[test]
fn an_exhausted_quota_is_visible_to_autoscalers_and_waits_as_long_as_its_flag_says() {
    let situation = failing(MachineCode::ResourceExhausted, "no capacity for size large in zone a", 0);
    let plan = situation.plan(0);
    let operation = &status(&plan).last_operation;
    assert_eq!(
        (operation.type_.as_str(), operation.state.as_str(), operation.error_code.as_str()),
        ("Create", "Failed", "ResourceExhausted")
    );
    assert_eq!(look_after(&plan), Some(600));
}

#[test]
fn a_creation_that_still_fails_after_its_time_out_is_given_up() {
    let mut situation = failing(MachineCode::Internal, "out of order", minutes(21));
    let plan = situation.plan(minutes(21));
    assert_eq!(names(&plan), ["PatchStatus"]);
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Failed);
    assert_eq!(status(&plan).failure_message, status(&plan).last_operation.description);
    assert!(!status(&plan).current_status.timeout_active);
    assert_eq!(look_after(&plan), None);
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(minutes(60))), [""; 0]);
}

#[test]
fn the_creation_time_out_of_the_machine_itself_is_the_one_that_counts() {
    let mut situation = failing(MachineCode::Internal, "out of order", minutes(4));
    situation.machine = annotated(situation.machine, annotations::EFFECTIVE_CREATION_TIMEOUT, "3m");
    situation.settings = situation.settings.for_machine(&situation.machine);
    assert_eq!(status(&situation.plan(minutes(4))).current_status.phase, MachinePhase::Failed);
}

#[test]
fn a_missing_class_names_itself_and_the_remedy_and_is_waited_for() {
    let mut situation = Situation::of(unborn("m"));
    situation.class = None;
    let plan = situation.plan(0);
    assert_eq!(names(&plan), ["PatchStatus"]);
    let written = status(&plan);
    assert_eq!(written.current_status.phase, MachinePhase::CrashLoopBackOff);
    for part in ["MachineClass \"small\"", "namespace \"fleet\"", "spec.class.name"] {
        assert!(written.last_operation.description.contains(part), "{written:?}");
    }
    assert_eq!(look_after(&plan), Some(600));
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(600)), [""; 0]);
    situation.class = Some(held_class());
    assert_eq!(names(&situation.plan(601)), ["CreateVm"]);
}

#[test]
fn a_missing_class_never_turns_into_a_row_of_machines_that_are_replaced_and_can_not_be_deleted() {
    let mut situation = Situation::of(unborn("m"));
    situation.class = None;
    let plan = situation.plan(minutes(60));
    assert_eq!(status(&plan).current_status.phase, MachinePhase::CrashLoopBackOff);
}

#[test]
fn a_vm_that_exists_is_recorded_once_with_node_label_and_priority() {
    let mut situation = Situation::of(unborn("m"));
    situation.memory.answered(VmKnowledge::Present(vm("m", Initialization::Done)));
    situation.memory.bootstrap_token = BootstrapToken::Issued { until: at(minutes(20)) };
    let plan = situation.plan(1);
    assert_eq!(names(&plan), ["PatchMachine", "PatchStatus"]);
    let patch = machine_patch(&plan);
    assert_eq!(patch.provider_id.as_deref(), Some("local:///a/m"));
    assert_eq!(patch.labels, [(labels::NODE.to_owned(), "m".to_owned())].into());
    assert_eq!(patch.annotations, [(annotations::MACHINE_PRIORITY.to_owned(), "3".to_owned())].into());
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Pending);
    assert_eq!(status(&plan).current_status.last_update_time.as_ref().unwrap().0, at(1));
    assert_eq!(status(&plan).last_operation.state, OperationState::Processing);
    assert_eq!(status(&plan).observed_generation, Some(1));
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(2)), [""; 0]);
}

#[test]
fn a_priority_or_label_that_somebody_set_is_kept() {
    let mut situation = Situation::of(annotated(unborn("m"), annotations::MACHINE_PRIORITY, "1"));
    situation.memory.answered(VmKnowledge::Present(vm("m", Initialization::Done)));
    assert!(machine_patch(&situation.plan(1)).annotations.is_empty());
}

#[test]
fn a_crash_after_the_id_was_recorded_leaves_only_the_status_to_write() {
    let mut situation = Situation::of(unborn("m"));
    situation.memory.answered(VmKnowledge::Present(vm("m", Initialization::Done)));
    let plan = situation.plan(1);
    let before = situation.machine.status.clone();
    situation.obey(&plan);
    situation.machine.status = before;
    situation.memory = Default::default();
    assert_eq!(names(&situation.plan(2)), ["CreateVm"]);
    situation.memory.answered(VmKnowledge::Present(vm("m", Initialization::Done)));
    assert_eq!(names(&situation.plan(3)), ["PatchStatus"]);
}

#[test]
fn a_vm_that_is_not_initialised_is_recorded_first_and_then_finished() {
    let missing = Initialization::Missing { reason: "no source check".into() };
    let mut situation = Situation::of(unborn("m"));
    situation.memory.answered(VmKnowledge::Present(vm("m", missing)));
    let plan = situation.plan(1);
    assert_eq!(names(&plan), ["PatchMachine", "InitializeVm"]);
    situation.obey(&plan);
    situation.failed(CloudOperation::Initialize, MachineCode::Internal, "no such interface", 2);
    let plan = situation.plan(2);
    assert_eq!(names(&plan), ["PatchStatus"]);
    assert_eq!(status(&plan).current_status.phase, MachinePhase::CrashLoopBackOff);
    assert_eq!(
        status(&plan).last_operation.description,
        "Provider error: machine codes error: code = [Internal] message = [no such interface]. Initialize VM Instance"
    );
    assert_eq!(look_after(&plan), Some(1));
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(3)), ["InitializeVm"]);
}

#[test]
fn a_creation_that_goes_on_keeps_its_state_and_is_asked_again_when_the_cloud_wants() {
    let mut situation = Situation::of(unborn("m"));
    let going_on = VmKnowledge::Creating { provider_id: None, state: "op-7".into(), ask_at: at(30) };
    situation.memory.answered(going_on);
    let plan = situation.plan(10);
    assert_eq!(names(&plan), ["PatchStatus"]);
    assert_eq!(status(&plan).last_known_state, "op-7");
    assert_eq!(status(&plan).last_operation.state, OperationState::Processing);
    assert_eq!(look_after(&plan), Some(20));
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(10)), [""; 0]);
    assert_eq!(names(&situation.plan(30)), ["CreateVm"]);
}

#[test]
fn a_vm_that_took_long_is_never_left_without_its_last_steps() {
    let missing = Initialization::Missing { reason: "no source check".into() };
    let mut situation = Situation::of(unborn("m"));
    let going_on = VmKnowledge::Creating { provider_id: None, state: "op-7".into(), ask_at: at(30) };
    situation.memory.answered(going_on);
    let plan = situation.plan(10);
    situation.obey(&plan);
    situation.memory.answered(VmKnowledge::Present(vm("m", missing)));
    let plan = situation.plan(30);
    assert_eq!(names(&plan), ["PatchMachine", "InitializeVm"]);
    situation.obey(&plan);
    // The process dies before the cloud was called; the next one knows nothing.
    situation.memory = Default::default();
    assert_eq!(names(&situation.plan(31)), ["CreateVm"]);
}

#[test]
fn a_creation_that_never_ends_is_given_up_after_the_time_out() {
    let mut situation = Situation::of(unborn("m"));
    situation.memory.answered(VmKnowledge::Creating {
        provider_id: None,
        state: "op-7".into(),
        ask_at: at(minutes(22)),
    });
    let plan = situation.plan(minutes(21));
    assert_eq!(names(&plan), ["PatchStatus"]);
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Failed);
    assert_eq!(status(&plan).last_operation.state, OperationState::Failed);
    assert_eq!(status(&plan).last_known_state, "op-7", "the deletion needs it");
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(minutes(60))), [""; 0]);
}

#[test]
fn without_a_target_cluster_a_created_machine_is_available_with_its_addresses() {
    let address = |type_: &str, address: &str| NodeAddress { type_: type_.into(), address: address.into() };
    let mut situation = Situation::of(unborn("m"));
    situation.settings.target = TargetCluster::Absent;
    let mut instance = vm("m", Initialization::Done);
    instance.addresses = vec![
        address("InternalIP", "10.0.0.4"),
        address("ExternalIP", "1.2.3.4"),
        address("InternalIP", "10.0.0.4"),
    ];
    situation.memory.answered(VmKnowledge::Present(instance));
    let plan = situation.plan(1);
    assert!(machine_patch(&plan).labels.is_empty(), "there is no node to name");
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Available);
    assert_eq!(status(&plan).last_operation.state, OperationState::Successful);
    assert_eq!(
        status(&plan).addresses,
        [address("ExternalIP", "1.2.3.4"), address("Hostname", "m"), address("InternalIP", "10.0.0.4")]
    );
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(2)), [""; 0]);
}

#[test]
fn a_frozen_controller_starts_nothing() {
    for machine in [created("m"), unborn("m")] {
        let mut situation = Situation::of(machine);
        situation.freeze = Freeze::Frozen;
        assert_eq!(names(&situation.plan(0)), [""; 0]);
    }
}

/// A new VM whose cloud named its node otherwise than the machine, and a node of that name.
fn named(node: millwright_api::NodeView) -> Situation {
    let mut situation = Situation::of(unborn("m"));
    let instance = Instance { node_name: "ip-1".into(), ..vm("m", Initialization::Done) };
    situation.memory.answered(VmKnowledge::Present(instance));
    situation.namesake_node = Some(node);
    situation
}

#[test]
fn a_new_vm_that_would_take_over_an_old_node_goes_and_its_machine_fails() {
    let mut older = registered("ip-1");
    older.metadata.creation_timestamp = time(-60);
    let mut of_another_vm = registered("ip-1");
    of_another_vm.metadata.creation_timestamp = time(60);
    of_another_vm.spec.provider_id = "local:///a/gone".into();
    let mut of_another_machine = registered("ip-1");
    of_another_machine.metadata.creation_timestamp = time(60);
    of_another_machine.metadata.labels = Some([(labels::MACHINE_NAME.to_owned(), "gone".to_owned())].into());
    for node in [older, of_another_vm, of_another_machine] {
        let mut situation = named(node);
        let plan = situation.plan(90);
        assert_eq!(names(&plan), ["PatchStatus", "DeleteVm"], "the word comes before the deed");
        assert_eq!(status(&plan).current_status.phase, MachinePhase::Failed);
        let operation = &status(&plan).last_operation;
        assert_eq!((&operation.type_, &operation.state), (&OperationType::Create, &OperationState::Failed));
        assert!(operation.description.starts_with("VM using old node obj"), "{operation:?}");
        situation.obey(&plan);
        // The process dies before the cloud was called; the next one knows nothing.
        situation.memory = Default::default();
        assert_eq!(names(&situation.plan(91)), ["DeleteVm"]);
        situation.failed(CloudOperation::Delete, MachineCode::Unavailable, "busy", 91);
        assert_eq!(look_after(&situation.plan(91)), Some(1));
        assert_eq!(names(&situation.plan(92)), ["DeleteVm"]);
        situation.memory.answered(VmKnowledge::Gone);
        assert_eq!(names(&situation.plan(93)), [""; 0], "its set replaces it");
    }
}

#[test]
fn a_node_that_is_the_vms_own_is_no_old_one() {
    let mut own = registered("ip-1");
    own.metadata.creation_timestamp = time(-60);
    own.spec.provider_id = "local:///a/m".into();
    let mut joined_quickly = registered("ip-1");
    joined_quickly.metadata.creation_timestamp = time(60);
    for node in [own, joined_quickly] {
        assert_eq!(names(&named(node).plan(90)), ["PatchMachine", "PatchStatus"]);
    }
}

#[test]
fn a_machine_that_was_adopted_or_names_its_node_itself_is_never_taken_for_a_newcomer() {
    let mut old = registered("ip-1");
    old.metadata.creation_timestamp = time(-60);
    let mut adopted = named(old.clone());
    adopted.machine.spec.provider_id = "local:///a/m".into();
    let mut same_name = named(old.clone());
    same_name.memory.answered(VmKnowledge::Present(vm("m", Initialization::Done)));
    let mut without_target = named(old);
    without_target.settings.target = TargetCluster::Absent;
    for situation in [adopted, same_name, without_target] {
        assert!(!names(&situation.plan(90)).contains(&"DeleteVm"));
    }
}

#[test]
fn an_exhausted_quota_stays_visible_while_the_next_attempt_is_under_way_and_after_the_time_out() {
    let mut situation = failing(MachineCode::ResourceExhausted, "no capacity", 0);
    let plan = situation.plan(0);
    situation.obey(&plan);
    let visible = |situation: &Situation| {
        let operation = &situation.machine.status.last_operation;
        operation.error_code == "ResourceExhausted" && operation.state == OperationState::Failed
    };
    assert_eq!(names(&situation.plan(600)), ["CreateVm"]);
    let going_on = VmKnowledge::Creating { provider_id: None, state: "op-7".into(), ask_at: at(630) };
    situation.memory.answered(going_on);
    let plan = situation.plan(601);
    situation.obey(&plan);
    assert_eq!(situation.machine.status.last_known_state, "op-7");
    assert!(visible(&situation), "{:?}", situation.machine.status);
    let plan = situation.plan(minutes(21));
    situation.obey(&plan);
    assert_eq!(situation.machine.status.current_status.phase, MachinePhase::Failed);
    assert!(visible(&situation), "{:?}", situation.machine.status);
    let mut lucky = failing(MachineCode::ResourceExhausted, "no capacity", 0);
    let plan = lucky.plan(0);
    lucky.obey(&plan);
    lucky.memory.answered(VmKnowledge::Present(vm("m", Initialization::Done)));
    let plan = lucky.plan(600);
    assert_eq!(status(&plan).last_operation.error_code, "", "there is room again");
}

#[test]
fn no_creation_is_given_up_for_the_time_in_which_nobody_could_see_it() {
    let mut situation = failing(MachineCode::Unavailable, "no route to host", minutes(59));
    situation.trusted_since = at(minutes(60));
    let plan = situation.plan(minutes(61));
    assert_eq!(status(&plan).current_status.phase, MachinePhase::CrashLoopBackOff);
    situation.obey(&plan);
    let plan = situation.plan(minutes(81));
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Failed);
}

#[test]
fn what_a_provider_wants_to_remember_of_a_failure_is_kept_for_its_next_attempt() {
    let mut situation = Situation::of(unborn("m"));
    let lost = |situation: &mut Situation, state: &str, seconds: i64| {
        situation.failed_with_state(CloudOperation::Create, MachineCode::Aborted, state, seconds);
    };
    lost(&mut situation, "nic-1", 0);
    let plan = situation.plan(0);
    assert_eq!(status(&plan).last_known_state, "nic-1");
    situation.obey(&plan);
    lost(&mut situation, "nic-2", 1);
    assert_eq!(status(&situation.plan(1)).last_known_state, "nic-2", "although the words are the same");
}

#[test]
fn a_failure_that_lasts_is_written_anew_after_half_an_hour() {
    let mut situation = failing(MachineCode::Internal, "try later, request id 7f3a-91", 0);
    situation.settings.creation_timeout = std::time::Duration::from_secs(7200);
    let plan = situation.plan(0);
    situation.obey(&plan);
    for (minute, writes) in [(20, 0), (31, 1), (40, 0), (62, 1)] {
        let message = format!("try later, request id 02bc-{minute}");
        situation.failed(CloudOperation::Create, MachineCode::Internal, &message, minutes(minute));
        let plan = situation.plan(minutes(minute));
        let written = names(&plan).iter().filter(|name| **name == "PatchStatus").count();
        assert_eq!(written, writes, "{minute}");
        situation.obey(&plan);
    }
}

#[test]
fn steps_after_creation_that_failed_for_too_long_are_not_begun_once_more() {
    let missing = Initialization::Missing { reason: "no source check".into() };
    let mut situation = Situation::of(unborn("m"));
    situation.memory.answered(VmKnowledge::Present(vm("m", missing)));
    let plan = situation.plan(1);
    situation.obey(&plan);
    situation.failed(CloudOperation::Initialize, MachineCode::Internal, "no such interface", minutes(20));
    let plan = situation.plan(minutes(21));
    assert_eq!(names(&plan), ["PatchStatus"]);
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Failed);
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(minutes(22))), [""; 0]);
}
