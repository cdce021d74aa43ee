//! From a deletion request to nothing left: drain, VM, Node object, finalizer.
//!
//! A step that completes at once leaves no trace of its own; one that has to wait writes where it is,
//! with the marker by which Gardener's controller knows the step.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::keys::{finalizers, labels};
use millwright_api::{DeletionStep, MachinePhase, NodeView, ObjectView, OperationState, OperationType};

use super::node_drain::{self, NodeDrain};
use super::phase_change::StatusDraft;
use super::same_failure::says_the_same;
use super::{
    ClassKnowledge, CloudOperation, MachineAction, MachinePatch, MachinePlan, MachineView, NodePatch,
    VmKnowledge, retry_delay,
};
use crate::drain::DrainUrgency;
use crate::elapsed::elapsed;
use crate::settings::TargetCluster;

/// How long a deletion waits for its class before it looks again; a class that appears wakes it earlier.
const CLASS_WAIT: Duration = Duration::from_secs(600);

pub(super) fn plan(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    if !view.machine.has_finalizer(finalizers::MACHINE) {
        return MachinePlan::at_rest();
    }
    if view.freeze.is_frozen() {
        return MachinePlan::at_rest();
    }
    if view.memory.vm != VmKnowledge::Gone && !never_had_a_vm(view) {
        if let (Some(node), TargetCluster::Present) = (view.node, view.settings.target)
            && let Some(plan) = drain_node(view, node, now)
        {
            return plan;
        }
        return delete_vm(view, now);
    }
    let mut plan = MachinePlan::default();
    if let Some(node) = view.node {
        plan.actions.extend(release_node(node).map(MachineAction::PatchNode));
        plan.actions.push(MachineAction::DeleteNode { name: node.name().to_owned() });
    }
    if view.settings.target == TargetCluster::Present && view.memory.bootstrap_token.may_exist() {
        plan.actions.push(MachineAction::DeleteBootstrapToken);
    }
    let left = view.machine.finalizers_without(finalizers::MACHINE);
    plan.actions.push(MachineAction::PatchMachine(MachinePatch {
        finalizers: Some(left),
        ..MachinePatch::default()
    }));
    plan
}

/// Its class does not exist, it never got a provider id, and this process asked for no VM: there was never
/// a way to make one. Should a crash and a forced removal of the class have hidden a VM all the same, the
/// orphan collection finds it as soon as its class is back; a misspelt class must not make a machine undeletable.
fn never_had_a_vm(view: &MachineView<'_>) -> bool {
    matches!(view.class, ClassKnowledge::Missing)
        && view.machine.spec.provider_id.is_empty()
        && view.memory.vm == VmKnowledge::NotAsked
        && view.memory.failure.is_none()
}

/// The next step of the drain, or `None` when nothing is left to drain.
fn drain_node(view: &MachineView<'_>, node: &NodeView, now: Timestamp) -> Option<MachinePlan> {
    match node_drain::step(view, node, urgency(view, now), release_node(node), say_draining, now) {
        NodeDrain::Going(plan) => Some(plan),
        NodeDrain::Done => None,
    }
}

fn say_draining(draft: StatusDraft<'_>, description: String) -> StatusDraft<'_> {
    let description = format!("{description} {}", DeletionStep::DrainNode.marker());
    draft.phase(MachinePhase::Terminating).operation(
        OperationType::Delete,
        OperationState::Processing,
        description,
    )
}

fn urgency(view: &MachineView<'_>, now: Timestamp) -> DrainUrgency {
    let forced = matches!(
        view.machine.label(labels::FORCE_DELETION),
        Some("True" | "true" | "TRUE" | "1" | "t" | "T")
    );
    let waited = view.machine.deleted_at().map_or(Duration::ZERO, |deleted| elapsed(deleted, now));
    if forced || waited > view.settings.drain_timeout {
        DrainUrgency::Forced
    } else {
        DrainUrgency::Graceful {
            time_left: view.settings.drain_timeout.checked_sub(waited).unwrap_or_default(),
        }
    }
}

fn delete_vm(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    if let ClassKnowledge::Missing = view.class {
        return class_missing(view, now);
    }
    if let VmKnowledge::Deleting { state, ask_at } = &view.memory.vm {
        let left = elapsed(now, *ask_at);
        if !left.is_zero() {
            let status = StatusDraft::of(view.machine, now)
                .phase(MachinePhase::Terminating)
                .operation(
                    OperationType::Delete,
                    OperationState::Processing,
                    format!("The cloud is deleting the VM. {}", DeletionStep::DeleteVm.marker()),
                )
                .last_known_state(state.clone())
                .action();
            return MachinePlan { actions: status.into_iter().collect(), ..MachinePlan::default() }
                .and_look_after(left);
        }
    }
    let Some(failure) = view.memory.failure.as_ref().filter(|f| f.operation == CloudOperation::Delete) else {
        return MachinePlan::steps([MachineAction::DeleteVm]);
    };
    let description = format!(
        "VM deletion failed due to - {}. Will retry. {}",
        failure.code.to_text(&failure.message),
        DeletionStep::DeleteVm.marker()
    );
    let operation = &view.machine.status.last_operation;
    let is_known = operation.type_ == OperationType::Delete
        && operation.state == OperationState::Failed
        && says_the_same(&operation.description, &description);
    let mut plan = MachinePlan::default();
    if !is_known {
        plan.actions.extend(
            StatusDraft::of(view.machine, now)
                .phase(MachinePhase::Terminating)
                .operation(OperationType::Delete, OperationState::Failed, description)
                .action(),
        );
    }
    let wait = retry_delay(failure, view.settings, view.jitter);
    let waited = elapsed(failure.at, now);
    if waited < wait {
        return plan.and_look_after(wait.checked_sub(waited).unwrap_or_default());
    }
    plan.actions.push(MachineAction::DeleteVm);
    plan
}

fn class_missing(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    let description = format!(
        "MachineClass {:?} does not exist, so the VM can not be deleted. Restore the class, and the deletion goes on. {}",
        view.machine.spec.class.name,
        DeletionStep::DeleteVm.marker()
    );
    let status = StatusDraft::of(view.machine, now)
        .phase(MachinePhase::Terminating)
        .operation(OperationType::Delete, OperationState::Failed, description)
        .action();
    MachinePlan { actions: status.into_iter().collect(), ..MachinePlan::default() }.and_look_after(CLASS_WAIT)
}

/// Removes our finalizer from a node, if it is there.
fn release_node(node: &NodeView) -> Option<NodePatch> {
    node.has_finalizer(finalizers::NODE).then(|| NodePatch {
        finalizers: Some(node.finalizers_without(finalizers::NODE)),
        ..NodePatch::of(node.name())
    })
}
