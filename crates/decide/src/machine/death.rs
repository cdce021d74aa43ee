//! From a deletion request to nothing left: drain, volume attachments, VM, Node object, finalizer.
//!
//! A step that completes at once leaves no trace of its own; one that has to wait or fails writes where it is, with the
//! marker by which Gardener's controller knows the step, so that either goes on where the other stopped.

mod attachments;
mod drained;
mod farewell;
mod lost_node;
mod reached;
mod terminating;
mod urgency;
mod vm;

use jiff::Timestamp;
use millwright_api::keys::finalizers;
use millwright_api::{DeletionStep, MachinePhase, NodeView, ObjectView, OperationState, OperationType};

use super::phase_change::StatusDraft;
use super::same_failure::says_the_same;
use super::{MachineAction, MachinePlan, MachineView, NodePatch, StepFailure};
use crate::settings::TargetCluster;

use drained::Drained;

/// The next step of a deletion. Without our finalizer there is none: whoever removed it has let the VM go, and the
/// collection of orphans finds it.
pub(super) fn plan(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    if !view.machine.has_finalizer(finalizers::MACHINE) || view.freeze.is_frozen() {
        return MachinePlan::at_rest();
    }
    let reached = reached::step(view);
    if reached >= DeletionStep::DeleteNode {
        return farewell::plan(view, now);
    }
    if reached < DeletionStep::DeleteVm
        && let (Some(node), TargetCluster::Present) = (view.node, view.settings.target)
        && let Some(plan) = empty_node(view, node, reached, now)
    {
        return plan;
    }
    lost_node::step(view, reached, now).unwrap_or_else(|| vm::plan(view, now))
}

/// The next step before the VM may go, or `None` when nothing on its node holds it any more.
fn empty_node(
    view: &MachineView<'_>,
    node: &NodeView,
    reached: DeletionStep,
    now: Timestamp,
) -> Option<MachinePlan> {
    let drained = if reached == DeletionStep::DeleteVolumeAttachments {
        Drained::Before
    } else {
        match drained::step(view, node, now) {
            Ok(drained) => drained,
            Err(plan) => return Some(plan),
        }
    };
    attachments::step(view, node, &drained, now)
}

/// The step that an action of a deletion belongs to, for what is said when it fails; `None` for one that says so itself.
#[must_use]
pub fn deletion_step(action: &MachineAction) -> Option<DeletionStep> {
    match action {
        MachineAction::DeleteVolumeAttachment { .. } => Some(DeletionStep::DeleteVolumeAttachments),
        MachineAction::DeleteNode { .. } => Some(DeletionStep::DeleteNode),
        MachineAction::PatchNode(patch) if patch.finalizers.is_some() && patch.cordon.is_none() => {
            Some(DeletionStep::DeleteNode)
        }
        MachineAction::PatchNode(_)
        | MachineAction::ListPods { .. }
        | MachineAction::EvictPod(_)
        | MachineAction::DeletePod(_) => Some(DeletionStep::DrainNode),
        MachineAction::PatchMachine(patch) if !patch.labels.is_empty() => Some(DeletionStep::GetVmStatus),
        MachineAction::PatchMachine(_) | MachineAction::DeleteBootstrapToken => {
            Some(DeletionStep::RemoveFinalizer)
        }
        _ => None,
    }
}

/// The failure of a step, while it lasts.
fn failure_of<'a>(view: &'a MachineView<'_>, step: DeletionStep) -> Option<&'a StepFailure> {
    view.memory.step_failure.as_ref().filter(|failure| failure.step == step)
}

/// A status that says where the deletion is.
fn status<'a>(
    draft: StatusDraft<'a>,
    state: OperationState,
    text: &str,
    step: DeletionStep,
) -> StatusDraft<'a> {
    let description = format!("{text} {}", step.marker());
    draft.phase(MachinePhase::Terminating).operation(OperationType::Delete, state, description)
}

/// Says that a step failed, unless the status says it already, perhaps with another request id.
fn complain(view: &MachineView<'_>, text: &str, step: DeletionStep, now: Timestamp) -> Option<MachineAction> {
    let said = &view.machine.status.last_operation;
    let is_known = said.type_ == OperationType::Delete
        && said.state == OperationState::Failed
        && says_the_same(&said.description, &format!("{text} {}", step.marker()));
    let draft = StatusDraft::of(view.machine, now).provider_state(view.memory);
    if is_known { draft.action() } else { status(draft, OperationState::Failed, text, step).action() }
}

/// Removes our finalizer from a node, if it is there.
fn release_node(node: &NodeView) -> Option<NodePatch> {
    node.has_finalizer(finalizers::NODE).then(|| NodePatch {
        finalizers: Some(node.finalizers_without(finalizers::NODE)),
        ..NodePatch::of(node.name())
    })
}
