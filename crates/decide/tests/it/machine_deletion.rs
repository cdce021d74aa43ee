//! A deletion that is taken over, that waits, that fails, and that must not depend on its class.

mod class;
mod deadline;
mod lost_node;

use std::sync::Arc;

use millwright_api::keys::{finalizers, labels};
use millwright_api::{
    ClassRecord, DeletionStep, Machine, MachineClass, MachineCode, MachinePhase, NodeView, ObjectView,
    OperationState, OperationType, VolumeAttachmentView,
};
use millwright_decide::drain::{EvictionOutcome, Leftovers, PodListing, PodOnNode};
use millwright_decide::machine::{
    CloudOperation, MachineAction, SecretState, UnheldSecret, VmKnowledge, deletion_step,
};
use millwright_decide::{Freeze, TargetCluster};

use crate::fixtures::machine::{born, deleting, labelled, unborn, vm};
use crate::fixtures::node::{condition, ready};
use crate::fixtures::pod::pod;
use crate::fixtures::situation::{Situation, held_class, look_after, names, node_patch, status};
use crate::fixtures::time::{at, minutes, time};

fn dying() -> Machine {
    deleting(born("m", MachinePhase::Running), 0)
}

/// A dying machine whose status says this since second 0.
fn saying(description: &str) -> Machine {
    let mut machine = dying();
    machine.status.current_status.phase = MachinePhase::Terminating;
    machine.status.last_operation.type_ = OperationType::Delete;
    machine.status.last_operation.state = OperationState::Processing;
    machine.status.last_operation.description = description.into();
    machine.status.last_operation.last_update_time = time(0);
    machine
}

fn at_step(step: DeletionStep) -> Machine {
    saying(&format!("Something was done. {}", step.marker()))
}

fn see(situation: &mut Situation, pods: &[PodOnNode], seconds: i64) {
    situation.memory.drain.listed(PodListing { at: at(seconds), pods: pods.to_vec() });
}

/// A dying machine whose node was cordoned and seen to be empty at second 0.
fn emptied(machine: Machine) -> Situation {
    let mut node = ready("m");
    node.spec.unschedulable = true;
    let mut situation = Situation::with_node(machine, node);
    see(&mut situation, &[], 0);
    situation
}

fn forced() -> Machine {
    labelled(dying(), labels::FORCE_DELETION, "true")
}

fn attachment(name: &str, node: &str) -> Arc<VolumeAttachmentView> {
    let mut attachment = VolumeAttachmentView::default();
    attachment.metadata.name = Some(name.into());
    attachment.metadata.uid = Some(format!("uid-{name}"));
    attachment.spec.node_name = node.into();
    Arc::new(attachment)
}

fn class() -> MachineClass {
    let mut class = held_class();
    class.provider = "local".into();
    class.provider_spec = serde_json::json!({"endpoint": "http://cloud", "size": "small"});
    class
}

fn recorded(machine: Machine) -> Machine {
    recording(machine, &class())
}

fn recording(mut machine: Machine, class: &MachineClass) -> Machine {
    machine.status.created_with_class = ClassRecord::of(class).to_text();
    machine
}

fn without_class(machine: Machine) -> Situation {
    Situation { class: None, ..Situation::of(machine) }
}

#[test]
fn a_deletion_that_another_controller_began_goes_on_at_its_marker() {
    for (description, action) in [
        ("Deleting machine from cloud provider", "ListPods"),
        ("Set machine status to termination. Now, getting VM Status", "ListPods"),
        ("Drain failed due to - oops. Will retry in next sync. Initiate node drain", "ListPods"),
        ("Force Drain successful. Delete Volume Attachments", "DeleteVm"),
        ("Drain successful. Initiate VM deletion", "DeleteVm"),
        ("VM deletion was successful. Initiate node object deletion", "DeleteVm"),
        ("Deletion of Node is successful. Initiate machine object finalizer removal", "DeleteVm"),
    ] {
        let situation = Situation::with_node(saying(description), ready("m"));
        assert_eq!(names(&situation.plan(0)), [action], "{description}");
    }
}

#[test]
fn a_marker_in_the_status_of_a_machine_that_is_not_terminating_means_nothing() {
    let mut situation = Situation::with_node(at_step(DeletionStep::DeleteVm), ready("m"));
    situation.machine.status.current_status.phase = MachinePhase::Failed;
    assert_eq!(names(&situation.plan(0)), ["ListPods"]);
}

#[test]
fn a_frozen_controller_goes_on_after_the_thaw_where_it_was() {
    for step in [DeletionStep::DrainNode, DeletionStep::DeleteVolumeAttachments, DeletionStep::DeleteVm] {
        let mut situation = emptied(at_step(step));
        situation.attachments = vec![attachment("a", "m")];
        situation.freeze = Freeze::Frozen;
        assert_eq!(names(&situation.plan(0)), [""; 0], "{step:?}");
        situation.freeze = Freeze::Thawed;
        assert_ne!(names(&situation.plan(0)), [""; 0], "{step:?}");
    }
}

#[test]
fn a_machine_whose_finalizer_was_removed_by_hand_is_left_to_the_orphan_collection() {
    for step in [DeletionStep::DrainNode, DeletionStep::DeleteVm, DeletionStep::RemoveFinalizer] {
        let mut situation = emptied(at_step(step));
        situation.machine.metadata.finalizers = Some(vec!["a.example.com/x".into()]);
        situation.memory.answered(VmKnowledge::Gone);
        assert_eq!(names(&situation.plan(0)), [""; 0], "{step:?}");
    }
}

#[test]
fn the_word_that_a_vm_is_gone_stands_when_the_cloud_can_not_be_asked_again() {
    let end = ["PatchNode", "DeleteNode", "DeleteBootstrapToken", "PatchMachine"];
    for step in [DeletionStep::DeleteNode, DeletionStep::RemoveFinalizer] {
        let mut unasked = Situation::with_node(at_step(step), ready("m"));
        unasked.class = None;
        assert_eq!(names(&unasked.plan(0)), end, "{step:?}");
        let mut in_vain = Situation::with_node(at_step(step), ready("m"));
        in_vain.failed(CloudOperation::Delete, MachineCode::InvalidArgument, "no Secret", 0);
        assert_eq!(names(&in_vain.plan(0)), end, "{step:?}");
        // It is there after all: what the cloud says now counts.
        let mut there = Situation::with_node(at_step(step), ready("m"));
        there.memory.answered(VmKnowledge::Deleting { state: "op".into(), ask_at: at(30) });
        assert_eq!(
            DeletionStep::of(&status(&there.plan(0)).last_operation.description),
            Some(DeletionStep::DeleteVm)
        );
    }
}

/// Incident 1061 of the predecessor: such a machine could never be deleted.
#[test]
fn after_a_forced_drain_the_attachments_of_the_node_are_deleted_and_those_that_go_are_not_waited_for() {
    let mut situation = emptied(forced());
    let mut going = (*attachment("going", "m")).clone();
    going.metadata.deletion_timestamp = time(0);
    situation.attachments = vec![attachment("a", "m"), attachment("elsewhere", "other"), Arc::new(going)];
    let plan = situation.plan(0);
    assert_eq!(names(&plan), ["PatchStatus", "DeleteVolumeAttachment"]);
    let gone = MachineAction::DeleteVolumeAttachment { name: "a".into(), uid: "uid-a".into() };
    assert_eq!(plan.actions[1], gone);
    let said = &status(&plan).last_operation;
    assert_eq!(said.description, "Force Drain successful. Delete Volume Attachments");
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(1)), ["DeleteVm"]);
}

#[test]
fn a_forced_drain_that_could_delete_no_pod_is_never_called_successful() {
    let mut situation = emptied(forced());
    let refused = |message: &str| EvictionOutcome::Failed { message: message.into() };
    see(&mut situation, &[pod("web"), pod("db"), pod("dns")], 0);
    situation.attachments = vec![attachment("a", "m")];
    situation.memory.drain.deleted("uid-web", at(0), refused("pods \"web\" is forbidden."));
    situation.memory.drain.deleted("uid-db", at(0), EvictionOutcome::Accepted);
    situation.memory.drain.deleted("uid-dns", at(0), refused("and that, too"));
    let plan = situation.plan(0);
    assert_eq!(names(&plan), ["PatchStatus", "DeleteVolumeAttachment"], "it holds up nothing");
    assert_eq!(
        status(&plan).last_operation.description,
        "Drain failed due to - deleting pod default/web failed: pods \"web\" is forbidden, and 1 more pods could not \
         be deleted. However, since it's a force deletion shall continue deletion of VM. Delete Volume Attachments"
    );
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(1)), ["DeleteVm"]);
}

#[test]
fn after_a_graceful_drain_attachments_are_left_to_their_driver() {
    let mut situation = emptied(dying());
    situation.memory.drain.leftovers = Leftovers::Known;
    situation.attachments = vec![attachment("a", "m")];
    assert_eq!(names(&situation.plan(0)), ["DeleteVm"]);
}

#[test]
fn attachments_that_never_go_hold_up_a_vm_for_the_detach_time_out_only() {
    let mut situation = emptied(forced());
    situation.attachments = vec![attachment("a", "m")];
    let mut writes = 0;
    for second in 0..120 {
        let plan = situation.plan(second);
        assert_eq!(names(&plan).last(), Some(&"DeleteVolumeAttachment"), "{second}");
        writes += names(&plan).iter().filter(|name| **name == "PatchStatus").count();
        let kept = situation.attachments.clone();
        situation.obey(&plan);
        situation.attachments = kept;
        see(&mut situation, &[], second);
    }
    assert_eq!(writes, 1);
    assert_eq!(names(&situation.plan(121)), ["DeleteVm"]);
}

#[test]
fn attachments_are_deleted_also_when_their_time_went_by_while_nobody_looked() {
    let said_at = |seconds| {
        let mut machine = at_step(DeletionStep::DeleteVolumeAttachments);
        machine.status.last_operation.last_update_time = time(seconds);
        let mut situation = Situation::with_node(machine, ready("m"));
        situation.attachments = vec![attachment("a", "m")];
        situation
    };
    let mut situation = said_at(0);
    situation.trusted_since = at(600);
    let plan = situation.plan(601);
    assert_eq!(names(&plan), ["DeleteVolumeAttachment"], "the controller was restarted");
    assert_eq!(look_after(&plan), Some(119));
    assert_eq!(names(&situation.plan(720)), ["DeleteVm"], "they never go");
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(601)), ["DeleteVm"]);
}

#[test]
fn a_refused_deletion_of_attachments_is_said_once() {
    let mut situation = emptied(at_step(DeletionStep::DeleteVolumeAttachments));
    situation.attachments = vec![attachment("a", "m")];
    assert_eq!(names(&situation.plan(1)), ["DeleteVolumeAttachment"]);
    let step = deletion_step(&situation.plan(1).actions[0]).unwrap();
    situation.memory.step_failed(step, "forbidden".into());
    let plan = situation.plan(2);
    assert_eq!(names(&plan), ["PatchStatus", "DeleteVolumeAttachment"]);
    let said = &status(&plan).last_operation;
    assert_eq!(
        (said.state.clone(), DeletionStep::of(&said.description)),
        (OperationState::Failed, Some(step))
    );
    let kept = situation.attachments.clone();
    situation.obey(&plan);
    situation.attachments = kept;
    situation.memory.step_failed(step, "forbidden, and in other words".into());
    assert_eq!(names(&situation.plan(3)), ["DeleteVolumeAttachment"]);
    assert_eq!(names(&situation.plan(123)), ["DeleteVm"]);
}

#[test]
fn a_node_that_waits_for_its_drain_is_told_whether_it_is_sick_or_not_needed() {
    for (phase, reason, message) in [
        (MachinePhase::Failed, "Unhealthy", "Machine Controller is terminating failed machine"),
        (MachinePhase::Running, "ScaleDown", "Machine Controller is scaling down machine"),
        (MachinePhase::Unknown, "ScaleDown", "Machine Controller is scaling down machine"),
    ] {
        let mut situation = Situation::with_node(deleting(born("m", phase), 0), ready("m"));
        see(&mut situation, &[pod("web")], 0);
        let plan = situation.plan(0);
        assert_eq!(names(&plan), ["PatchNode", "PatchNodeStatus", "PatchStatus", "EvictPod"]);
        situation.obey(&plan);
        let told = situation
            .node
            .as_ref()
            .unwrap()
            .status
            .conditions
            .iter()
            .find(|told| told.type_ == "Terminating");
        let told = told.unwrap();
        assert_eq!(
            (told.status.as_str(), told.reason.as_str(), told.message.as_str()),
            ("True", reason, message)
        );
        assert_eq!(told.last_transition_time, time(0));
        assert!(!names(&situation.plan(1)).contains(&"PatchNodeStatus"), "told once");
    }
}

#[test]
fn a_node_with_nothing_to_drain_is_told_nothing() {
    let mut situation = Situation::with_node(dying(), ready("m"));
    see(&mut situation, &[], 0);
    assert_eq!(names(&situation.plan(0)), ["PatchNode", "ListPods"]);
}

#[test]
fn a_step_that_an_api_server_refuses_is_in_the_status_once_and_stays_at_its_marker() {
    let gone = |step: DeletionStep| {
        let mut situation = Situation::with_node(dying(), ready("m"));
        situation.memory.answered(VmKnowledge::Gone);
        situation.memory.step_failed(step, "webhook x denied it, request 7f-1".into());
        situation
    };
    for step in [DeletionStep::DeleteNode, DeletionStep::RemoveFinalizer] {
        let mut situation = gone(step);
        let plan = situation.plan(0);
        assert_eq!(names(&plan)[..3], ["PatchStatus", "PatchNode", "DeleteNode"]);
        let said = status(&plan).last_operation.clone();
        assert_eq!((said.state, DeletionStep::of(&said.description)), (OperationState::Failed, Some(step)));
        assert!(said.description.contains("webhook x denied it"), "{}", said.description);
        situation.machine.status = status(&plan).clone();
        situation.memory.step_failed(step, "webhook x denied it, request 02-9".into());
        assert_eq!(names(&situation.plan(1))[0], "PatchNode");
        situation.memory.step_done(step);
        assert_eq!(situation.memory.step_failure, None);
    }
}

#[test]
fn a_drain_that_can_not_list_pods_says_so_and_holds_up_a_forced_deletion_three_times_only() {
    let mut situation = Situation::with_node(dying(), ready("m"));
    let plan = situation.plan(0);
    let step = deletion_step(&plan.actions[0]).unwrap();
    for attempt in 1..=3 {
        situation.memory.step_failed(step, "list pods of node: timed out".into());
        let plan = situation.plan(attempt);
        assert_eq!(names(&plan).last(), Some(&"ListPods"));
        situation.obey(&plan);
    }
    let said = &situation.machine.status.last_operation;
    assert_eq!(
        (said.state.clone(), DeletionStep::of(&said.description)),
        (OperationState::Failed, Some(step))
    );
    assert!(said.description.contains("Will retry in next sync"), "{said:?}");
    situation.machine = labelled(situation.machine, labels::FORCE_DELETION, "true");
    situation.attachments = vec![attachment("a", "m")];
    let plan = situation.plan(4);
    assert_eq!(names(&plan), ["PatchStatus", "DeleteVolumeAttachment"]);
    let said = &status(&plan).last_operation.description;
    assert!(said.contains("since it's a force deletion"), "{said}");
    assert_eq!(DeletionStep::of(said), Some(DeletionStep::DeleteVolumeAttachments));
    situation.obey(&plan);
    assert_eq!(names(&situation.plan(5)), ["DeleteVm"]);
}

#[test]
fn a_bootstrap_token_that_can_not_be_deleted_is_left_to_its_expiry_at_last() {
    let mut situation = Situation::of(dying());
    situation.memory.answered(VmKnowledge::Gone);
    for _ in 0..10 {
        assert!(names(&situation.plan(0)).contains(&"DeleteBootstrapToken"));
        let step = deletion_step(&MachineAction::DeleteBootstrapToken).unwrap();
        situation.memory.step_failed(step, "forbidden".into());
    }
    assert_eq!(names(&situation.plan(0)), ["PatchStatus", "PatchMachine"]);
}

#[test]
fn a_drain_is_not_done_again_when_the_vm_is_already_being_deleted() {
    let mut deleting = Situation::with_node(dying(), ready("m"));
    deleting.memory.answered(VmKnowledge::Deleting { state: "op".into(), ask_at: at(5) });
    assert_eq!(names(&deleting.plan(0)), ["PatchStatus"]);
    let mut failing = Situation::with_node(dying(), ready("m"));
    failing.failed(CloudOperation::Delete, MachineCode::Unavailable, "busy", 0);
    assert_eq!(names(&failing.plan(0)), ["PatchStatus"]);
}

#[test]
fn a_deletion_without_target_cluster_knows_no_attachments_and_no_node() {
    let mut situation = emptied(forced());
    situation.settings.target = TargetCluster::Absent;
    situation.attachments = vec![attachment("a", "m")];
    assert_eq!(names(&situation.plan(0)), ["DeleteVm"]);
}

#[test]
fn the_finalizer_of_a_node_that_outlives_its_drain_is_removed_only_after_its_vm() {
    let mut situation = Situation::with_node(dying(), ready("m"));
    see(&mut situation, &[pod("web")], 0);
    let plan = situation.plan(0);
    assert_eq!(node_patch(&plan).finalizers, None);
    situation.obey(&plan);
    assert!(situation.node.as_ref().unwrap().has_finalizer(finalizers::NODE));
}
