//! Notes which step of a deletion an API server refuses, so that the status can say so, and when it is done after all.

use millwright_api::{Machine, ObjectView};
use millwright_decide::machine::{MachineAction, deletion_step};

use crate::Fleet;
use crate::execute::ExecuteError;

/// Notes a failure. A lost race is none: the next look repairs it.
pub(super) fn failed(fleet: &Fleet, machine: &Machine, action: &MachineAction, error: &ExecuteError) {
    if machine.is_deleting() && error.is_worth_a_line() {
        let mut memories = fleet.memories.lock();
        let memory = memories.machines.entry(machine.uid().to_owned()).or_default();
        if let Some(step) = deletion_step(action) {
            memory.step_failed(step, error.to_string());
        }
    }
}

/// Notes that an action was carried out.
pub(super) fn done(fleet: &Fleet, machine: &Machine, action: &MachineAction) {
    if let Some(memory) = fleet.memories.lock().machines.get_mut(machine.uid())
        && memory.step_failure.is_some()
        && let Some(step) = deletion_step(action)
    {
        memory.step_done(step);
    }
}

/// What comes after it goes on without it: what tells others of a deletion, one of
/// several volume attachments, and care for the token of a machine that lives.
pub(super) fn is_courtesy(machine: &Machine, action: &MachineAction) -> bool {
    match action {
        MachineAction::PatchNodeStatus(_) | MachineAction::DeleteVolumeAttachment { .. } => {
            machine.is_deleting()
        }
        MachineAction::DeleteBootstrapToken | MachineAction::RenewBootstrapToken => !machine.is_deleting(),
        _ => false,
    }
}
