//! A new VM whose name belongs to an older Node: its kubelet would take that object over, with all the past that hangs
//! on it. The VM goes, the machine fails, and its set makes another.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::keys::labels;
use millwright_api::{MachinePhase, NodeView, ObjectView, OperationState, OperationType};
use millwright_provider::Instance;

use super::node_identity::{is_another_vms, is_that_vms};
use super::phase_change::StatusDraft;
use super::{CloudOperation, MachineAction, MachinePlan, MachineView, VmKnowledge, retry_delay};
use crate::elapsed::elapsed;

/// Words that Gardener's controller has for it; they also tell a later look what was going on.
const DESCRIPTION: &str = "VM using old node obj";

/// What to do with a VM that was just made, when its node's name is taken.
pub(super) fn refuse(view: &MachineView<'_>, instance: &Instance, now: Timestamp) -> Option<MachinePlan> {
    let node = view.namesake_node.filter(|node| is_stale(view, instance, node))?;
    let description = format!(
        "{DESCRIPTION}: Node {:?} is not this VM's, and its kubelet would take it over. The VM is deleted and the machine given up.",
        node.name()
    );
    // The word first: should this be all that is done, the next look finds it and goes on.
    let status = StatusDraft::of(view.machine, now)
        .phase(MachinePhase::Failed)
        .operation(OperationType::Create, OperationState::Failed, description)
        .action();
    let mut plan = MachinePlan::steps(status);
    plan.actions.push(MachineAction::DeleteVm);
    Some(plan)
}

/// What is left to do for a machine that failed for this.
pub(super) fn finish(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    let is_refused = view.machine.status.last_operation.description.starts_with(DESCRIPTION);
    if !is_refused || matches!(view.memory.vm, VmKnowledge::Gone | VmKnowledge::Unproven) {
        return MachinePlan::at_rest();
    }
    let says = StatusDraft::of(view.machine, now).provider_state(view.memory).action();
    let mut plan = MachinePlan::steps(says);
    let failure = view.memory.failure.as_ref().filter(|failure| failure.operation == CloudOperation::Delete);
    let left = match (&view.memory.vm, failure) {
        (VmKnowledge::Deleting { ask_at, .. }, None) => elapsed(now, *ask_at),
        (_, Some(failure)) => {
            retry_delay(failure, view.settings, view.jitter).saturating_sub(elapsed(failure.at, now))
        }
        (_, None) => Duration::ZERO,
    };
    if !left.is_zero() {
        return plan.and_look_after(left);
    }
    plan.actions.push(MachineAction::DeleteVm);
    plan
}

/// A node is the VM's own when it says so, or came after the machine and belongs to nobody: the VM may have joined
/// before we looked. Where nodes are named after their machines, a name tells nothing.
pub(super) fn is_stale(view: &MachineView<'_>, instance: &Instance, node: &NodeView) -> bool {
    let machine = view.machine;
    if instance.node_name == machine.name() || is_that_vms(node, &instance.provider_id) {
        return false;
    }
    let owner = node.label(labels::MACHINE_NAME).filter(|owner| !owner.is_empty());
    is_another_vms(node, &instance.provider_id)
        || owner.is_some_and(|owner| owner != machine.name())
        || matches!((node.created_at(), machine.created_at()), (Some(node), Some(machine)) if node < machine)
}
