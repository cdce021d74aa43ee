//! A dying machine that nobody noted the node of: a crash came between its VM and the note, and by now the VM may have joined and got
//! pods. Its cloud is asked once what its node is called, so that it is drained like any other.

use jiff::Timestamp;
use millwright_api::keys::labels;
use millwright_api::{DeletionStep, MachineCode, ObjectView};

use super::{complain, reached};
use crate::elapsed::elapsed;
use crate::machine::{
    CallFailure, CloudOperation, MachineAction, MachinePatch, MachinePlan, MachineView, VmKnowledge,
    retry_delay, stale_node,
};
use crate::settings::TargetCluster;

/// The next step towards the node, or `None` when there is none to look for.
pub(super) fn step(view: &MachineView<'_>, reached: DeletionStep, now: Timestamp) -> Option<MachinePlan> {
    let is_noted = view.machine.label(labels::NODE).is_some_and(|node| !node.is_empty());
    // Whoever wrote the marker of a later step has looked.
    let was_looked_for = reached >= DeletionStep::DeleteVm
        || reached::marker(view).is_some_and(|marker| marker > DeletionStep::GetVmStatus);
    if is_noted
        || was_looked_for
        || view.node.is_some()
        || view.settings.target == TargetCluster::Absent
        || !reached::can_ask_the_cloud(view)
    {
        return None;
    }
    if let VmKnowledge::Present(instance) = &view.memory.vm {
        // A node that was there before the VM, or is another's, is nothing to this deletion.
        let node = view.namesake_node.filter(|node| node.name() == instance.node_name);
        let node = node.filter(|node| !stale_node::is_stale(view, instance, node))?;
        let mut patch = MachinePatch::default();
        patch.labels.insert(labels::NODE.to_owned(), node.name().to_owned());
        return Some(MachinePlan::steps([MachineAction::PatchMachine(patch)]));
    }
    // Nothing joins before its cloud has made it.
    if let VmKnowledge::Creating { .. } = view.memory.vm {
        return None;
    }
    let failure = view.memory.failure.as_ref().filter(|failure| failure.operation == CloudOperation::Status);
    match failure {
        None => Some(MachinePlan::steps([MachineAction::FindVm])),
        Some(failure) if says_none(failure) => None,
        Some(failure) => Some(ask_again(view, failure, now)),
    }
}

/// There is no VM, or its cloud can't say.
fn says_none(failure: &CallFailure) -> bool {
    matches!(failure.code, MachineCode::NotFound | MachineCode::Unimplemented | MachineCode::Uninitialized)
}

fn ask_again(view: &MachineView<'_>, failure: &CallFailure, now: Timestamp) -> MachinePlan {
    let text = format!(
        "The node of the machine is not known, and its VM could not be looked up: {}. Will retry.",
        failure.code.to_text(&failure.message)
    );
    let mut plan = MachinePlan::default();
    plan.actions.extend(complain(view, &text, DeletionStep::GetVmStatus, now));
    let left = retry_delay(failure, view.settings, view.jitter).saturating_sub(elapsed(failure.at, now));
    if !left.is_zero() {
        return plan.and_look_after(left);
    }
    plan.actions.push(MachineAction::FindVm);
    plan
}
