//! From a deletion request to nothing left.

use millwright_api::keys::{finalizers, labels};
use millwright_api::{DeletionStep, Machine, MachineCode, MachinePhase, OperationState, OperationType};
use millwright_decide::drain::{EvictionOutcome, PodListing, PodOnNode};
use millwright_decide::machine::{CloudOperation, MachineAction, VmKnowledge};
use millwright_decide::{Freeze, TargetCluster};

use crate::fixtures::machine::{born, deleting, labelled};
use crate::fixtures::node::ready;
use crate::fixtures::pod::pod;
use crate::fixtures::situation::{Situation, look_after, machine_patch, names, node_patch, status};
use crate::fixtures::time::{at, minutes};

fn dying() -> Machine {
    deleting(born("m", MachinePhase::Running), 0)
}

/// A dying machine on whose node these pods were seen at a second.
fn occupied(pods: &[PodOnNode], seconds: i64) -> Situation {
    let mut situation = Situation::with_node(dying(), ready("m"));
    see(&mut situation, pods, seconds);
    situation
}

fn see(situation: &mut Situation, pods: &[PodOnNode], seconds: i64) {
    situation.memory.drain.listed(PodListing { at: at(seconds), pods: pods.to_vec() });
}

#[test]
fn a_machine_without_our_finalizer_is_not_ours_to_end() {
    let mut situation = Situation::with_node(dying(), ready("m"));
    situation.machine.metadata.finalizers = Some(vec!["a.example.com/x".into()]);
    assert_eq!(names(&situation.plan(0)), [""; 0]);
}

#[test]
fn a_frozen_controller_deletes_nothing() {
    for vm in [VmKnowledge::NotAsked, VmKnowledge::Gone] {
        let mut situation = occupied(&[], 0);
        situation.freeze = Freeze::Frozen;
        situation.memory.answered(vm);
        assert_eq!(names(&situation.plan(0)), [""; 0]);
    }
}

#[test]
fn pods_are_listed_before_anything_is_done_to_their_node() {
    let situation = Situation::with_node(dying(), ready("m"));
    assert_eq!(situation.plan(0).actions, [MachineAction::ListPods { node: "m".into() }]);
}

#[test]
fn an_empty_node_is_cordoned_and_released_in_one_write_and_looked_at_once_more() {
    let mut situation = occupied(&[], 0);
    let plan = situation.plan(0);
    assert_eq!(names(&plan), ["PatchNode", "ListPods"]);
    assert!(node_patch(&plan).cordon.is_some());
    assert_eq!(node_patch(&plan).finalizers.as_deref().unwrap(), [""; 0]);
    situation.obey(&plan);
    see(&mut situation, &[], 1);
    assert_eq!(names(&situation.plan(1)), ["DeleteVm"]);
}

#[test]
fn a_pod_that_came_in_between_is_not_lost() {
    let mut situation = occupied(&[], 0);
    let plan = situation.plan(0);
    situation.obey(&plan);
    see(&mut situation, &[pod("late")], 1);
    assert_eq!(names(&situation.plan(1)), ["PatchNodeStatus", "PatchStatus", "EvictPod"]);
}

#[test]
fn a_node_with_pods_is_cordoned_first_and_says_what_it_waits_for() {
    let mut situation = occupied(&[pod("web")], 0);
    let plan = situation.plan(0);
    assert_eq!(names(&plan), ["PatchNode", "PatchNodeStatus", "PatchStatus", "EvictPod"]);
    assert!(node_patch(&plan).cordon.is_some());
    assert_eq!(node_patch(&plan).finalizers, None, "the node must outlive its VM");
    let written = status(&plan);
    assert_eq!(written.current_status.phase, MachinePhase::Terminating);
    assert_eq!(written.last_operation.type_, OperationType::Delete);
    assert_eq!(written.last_operation.state, OperationState::Processing);
    assert_eq!(DeletionStep::of(&written.last_operation.description), Some(DeletionStep::DrainNode));
    assert!(written.last_operation.description.contains("default/web"), "{written:?}");
    situation.obey(&plan);
    situation.memory.drain.tried("uid-web", at(0), EvictionOutcome::Accepted);
    assert_eq!(names(&situation.plan(0)), [""; 0]);
    assert_eq!(look_after(&situation.plan(0)), Some(1));
    see(&mut situation, &[], 3);
    assert_eq!(names(&situation.plan(3)), ["DeleteVm"]);
}

#[test]
fn force_and_time_end_a_drain() {
    let forced = |value: &str| labelled(dying(), labels::FORCE_DELETION, value);
    for (machine, seconds, action) in [
        (dying(), minutes(119), "EvictPod"),
        (forced("no"), 0, "EvictPod"),
        (forced("True"), 0, "DeletePod"),
        (forced("1"), 0, "DeletePod"),
        (dying(), minutes(120) + 1, "DeletePod"),
    ] {
        let mut situation = occupied(&[pod("web")], seconds);
        situation.machine = machine;
        assert_eq!(
            names(&situation.plan(seconds)),
            ["PatchNode", "PatchNodeStatus", "PatchStatus", action],
            "{situation:?}"
        );
    }
}

#[test]
fn a_forced_deletion_never_waits_for_a_pod_that_can_not_be_deleted() {
    let mut situation = occupied(&[pod("web")], 0);
    situation.machine = labelled(dying(), labels::FORCE_DELETION, "true");
    let plan = situation.plan(0);
    situation.obey(&plan);
    let refused = || EvictionOutcome::Failed { message: "webhook says no".into() };
    situation.memory.drain.deleted("uid-web", at(0), refused());
    see(&mut situation, &[pod("web")], 2);
    assert_eq!(names(&situation.plan(2)), ["DeleteVm"]);
}

#[test]
fn a_pod_whose_eviction_failed_is_deleted_once_when_force_begins() {
    let mut situation = occupied(&[pod("web")], 0);
    let plan = situation.plan(0);
    situation.obey(&plan);
    situation.memory.drain.tried("uid-web", at(0), EvictionOutcome::Failed { message: "oops".into() });
    situation.machine = labelled(situation.machine, labels::FORCE_DELETION, "true");
    see(&mut situation, &[pod("web")], 60);
    assert_eq!(names(&situation.plan(60)), ["PatchStatus", "DeletePod"]);
}

#[test]
fn without_node_or_target_the_vm_is_deleted_at_once() {
    assert_eq!(names(&Situation::of(dying()).plan(0)), ["DeleteVm"]);
    let mut situation = Situation::with_node(dying(), ready("m"));
    situation.settings.target = TargetCluster::Absent;
    assert_eq!(names(&situation.plan(0)), ["DeleteVm"]);
}

#[test]
fn a_failed_vm_deletion_says_why_and_is_tried_again() {
    let mut situation = Situation::of(dying());
    situation.failed(CloudOperation::Delete, MachineCode::Internal, "disk is locked", 0);
    let plan = situation.plan(0);
    assert_eq!(names(&plan), ["PatchStatus"]);
    let operation = &status(&plan).last_operation;
    assert_eq!((operation.type_.as_str(), operation.state.as_str()), ("Delete", "Failed"));
    assert!(operation.description.contains("code = [Internal] message = [disk is locked]"));
    assert_eq!(DeletionStep::of(&operation.description), Some(DeletionStep::DeleteVm));
    assert_eq!(look_after(&plan), Some(5));
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(5)), ["DeleteVm"]);
}

#[test]
fn a_request_id_in_a_failed_deletion_costs_no_write() {
    let mut situation = Situation::of(dying());
    situation.failed(CloudOperation::Delete, MachineCode::Internal, "disk is locked, request 7f-1", 0);
    let plan = situation.plan(0);
    situation.obey(&plan);
    situation.failed(CloudOperation::Delete, MachineCode::Internal, "disk is locked, request 02-9", 5);
    assert_eq!(names(&situation.plan(5)), [""; 0]);
    situation.failed(CloudOperation::Delete, MachineCode::Internal, "disk is gone, request 02-9", 6);
    assert_eq!(names(&situation.plan(6)), ["PatchStatus"]);
}

#[test]
fn a_failure_from_the_time_before_the_deletion_delays_nothing() {
    let mut situation = Situation::of(dying());
    situation.failed(CloudOperation::Create, MachineCode::ResourceExhausted, "no capacity", 0);
    assert_eq!(names(&situation.plan(0)), ["DeleteVm"]);
}

#[test]
fn a_deletion_that_goes_on_keeps_its_state_and_is_asked_again_when_the_cloud_wants() {
    let mut situation = Situation::of(dying());
    situation.memory.answered(VmKnowledge::Deleting { state: "op-9".into(), ask_at: at(30) });
    let plan = situation.plan(10);
    assert_eq!(names(&plan), ["PatchStatus"]);
    assert_eq!(status(&plan).last_known_state, "op-9");
    assert_eq!(status(&plan).current_status.phase, MachinePhase::Terminating);
    assert_eq!(DeletionStep::of(&status(&plan).last_operation.description), Some(DeletionStep::DeleteVm));
    assert_eq!(look_after(&plan), Some(20));
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(20)), [""; 0]);
    assert_eq!(names(&situation.plan(30)), ["DeleteVm"]);
}

#[test]
fn a_missing_class_stops_the_deletion_before_the_vm_is_lost_from_sight() {
    let mut situation = Situation::of(dying());
    situation.class = None;
    let plan = situation.plan(0);
    assert_eq!(names(&plan), ["PatchStatus"]);
    let operation = &status(&plan).last_operation;
    assert_eq!(operation.state, OperationState::Failed);
    assert!(operation.description.contains("MachineClass \"small\" does not exist"), "{operation:?}");
    assert_eq!(look_after(&plan), Some(600));
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(1)), [""; 0]);
    situation.memory.answered(VmKnowledge::Gone);
    assert_eq!(names(&situation.plan(2)), ["DeleteBootstrapToken", "PatchMachine"]);
}

#[test]
fn a_machine_whose_class_never_existed_can_be_deleted() {
    let mut situation = Situation::of(dying());
    situation.class = None;
    situation.machine.spec.provider_id = String::new();
    assert_eq!(names(&situation.plan(0)), ["DeleteBootstrapToken", "PatchMachine"]);
    // A VM was asked for, so there may be one.
    situation.failed(CloudOperation::Create, MachineCode::DeadlineExceeded, "no answer", 0);
    assert_eq!(names(&situation.plan(0)), ["PatchStatus"]);
}

#[test]
fn when_the_vm_is_gone_node_token_and_finalizer_go_in_this_order() {
    let mut situation = Situation::with_node(dying(), ready("m"));
    situation.machine.metadata.finalizers = Some(vec!["a.example.com/x".into(), finalizers::MACHINE.into()]);
    situation.memory.answered(VmKnowledge::Gone);
    let plan = situation.plan(0);
    assert_eq!(names(&plan), ["PatchNode", "DeleteNode", "DeleteBootstrapToken", "PatchMachine"]);
    assert_eq!(node_patch(&plan).finalizers.as_deref().unwrap(), [""; 0]);
    assert_eq!(machine_patch(&plan).finalizers.as_deref().unwrap(), ["a.example.com/x"]);
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(1)), [""; 0]);
}

#[test]
fn a_node_that_was_released_before_is_only_deleted() {
    let mut situation = Situation::with_node(dying(), ready("m"));
    situation.node.as_mut().unwrap().metadata.finalizers = None;
    situation.memory.answered(VmKnowledge::Gone);
    assert_eq!(names(&situation.plan(0)), ["DeleteNode", "DeleteBootstrapToken", "PatchMachine"]);
}

#[test]
fn without_a_target_cluster_only_the_finalizer_is_left() {
    let mut situation = Situation::of(dying());
    situation.settings.target = TargetCluster::Absent;
    situation.memory.answered(VmKnowledge::Gone);
    assert_eq!(names(&situation.plan(0)), ["PatchMachine"]);
}

#[test]
fn a_death_whose_proof_did_not_come_is_asked_for_again() {
    let mut situation = Situation::of(deleting(born("m", MachinePhase::Running), 0));
    situation.memory.answered(VmKnowledge::Unproven);
    assert_eq!(names(&situation.plan(0)), [""; 0], "the answer wakes it");
    situation.failed(CloudOperation::Delete, MachineCode::DeadlineExceeded, "no list", 1);
    assert_eq!(names(&situation.plan(1)), ["PatchStatus"]);
    assert!(names(&situation.plan(3600)).contains(&"DeleteVm"));
}
