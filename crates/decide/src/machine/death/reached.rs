//! How far a deletion is, from what this process knows of its own calls and from the marker in the status.
//!
//! What the markers of another process are worth: "drained" is taken at its word, for a second drain would find what the first
//! left behind on purpose. "The VM is gone" is asked for once more, because a wrong answer costs a VM that nobody
//! knows; but when the cloud can't be asked, the word stands: it was written after the cloud had said so.

use millwright_api::{DeletionStep, MachinePhase, OperationType};

use crate::machine::{CallFailure, ClassKnowledge, CloudOperation, MachineView, VmKnowledge};

/// The step at which to go on.
pub(super) fn step(view: &MachineView<'_>) -> DeletionStep {
    let marker = marker(view);
    let asked_in_vain = deletion_failure(view).is_some();
    if view.memory.vm == VmKnowledge::Gone || never_had_a_vm(view) {
        return DeletionStep::DeleteNode;
    }
    if marker.is_some_and(|marker| marker >= DeletionStep::DeleteNode)
        && (asked_in_vain || !can_ask_the_cloud(view))
    {
        return DeletionStep::DeleteNode;
    }
    let is_at_the_vm = marker.is_some_and(|marker| marker >= DeletionStep::DeleteVm);
    if is_at_the_vm
        || asked_in_vain
        || matches!(view.memory.vm, VmKnowledge::Deleting { .. } | VmKnowledge::Unproven)
    {
        return DeletionStep::DeleteVm;
    }
    match marker {
        Some(DeletionStep::DeleteVolumeAttachments) => DeletionStep::DeleteVolumeAttachments,
        _ => DeletionStep::DrainNode,
    }
}

/// The marker of a deletion that has begun. Words of an earlier life of the machine are none.
pub(super) fn marker(view: &MachineView<'_>) -> Option<DeletionStep> {
    let status = &view.machine.status;
    let is_dying = status.current_status.phase == MachinePhase::Terminating
        && status.last_operation.type_ == OperationType::Delete;
    is_dying.then(|| DeletionStep::of(&status.last_operation.description)).flatten()
}

/// The last call for the VM's deletion failed.
pub(super) fn deletion_failure<'a>(view: &'a MachineView<'_>) -> Option<&'a CallFailure> {
    view.memory.failure.as_ref().filter(|failure| failure.operation == CloudOperation::Delete)
}

/// Somebody knows where its VM is: its class, or what the machine keeps of it.
pub(super) fn can_ask_the_cloud(view: &MachineView<'_>) -> bool {
    match view.class {
        ClassKnowledge::Known(_) => true,
        ClassKnowledge::Missing => view.record().is_some_and(|record| !record.provider_spec_omitted),
    }
}

/// Its class does not exist, nothing was kept of one, it never got a provider id, and this process asked for no VM: there was
/// never a way to make one. Should a crash and a forced removal of the class have hidden a VM all the same, the
/// orphan collection finds it as soon as its class is back; a misspelt class must not make a machine undeletable.
fn never_had_a_vm(view: &MachineView<'_>) -> bool {
    matches!(view.class, ClassKnowledge::Missing)
        && view.record().is_none()
        && view.machine.spec.provider_id.is_empty()
        && view.memory.vm == VmKnowledge::NotAsked
        && view.memory.failure.is_none()
}
