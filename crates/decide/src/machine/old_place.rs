//! A birth whose class was turned to another place after the VM was asked for: what that may have made is found there only, and with
//! its record. So it goes on there; and should it fail, all that is left of it goes before another VM is asked for elsewhere.

use jiff::Timestamp;
use millwright_api::ClassRecord;

use super::{ClassKnowledge, MachineAction, MachinePlan, MachineView, RecordedPlace, VmKnowledge};
use crate::elapsed::elapsed;

/// The next step of leaving the old place, or `None` while there is a VM to be had there, and when there is no old place.
pub(super) fn leave(view: &MachineView<'_>, now: Timestamp) -> Option<MachinePlan> {
    if !is_left(view) {
        return None;
    }
    match &view.memory.vm {
        VmKnowledge::Gone => Some(MachinePlan::steps(settle(view))),
        VmKnowledge::Unproven => Some(MachinePlan::at_rest()),
        VmKnowledge::Deleting { ask_at, .. } => {
            let left = elapsed(now, *ask_at);
            if left.is_zero() {
                return Some(MachinePlan::steps([MachineAction::DeleteVm]));
            }
            Some(MachinePlan::wait(left))
        }
        VmKnowledge::NotAsked | VmKnowledge::Present(_) | VmKnowledge::Creating { .. } => None,
    }
}

/// What comes after a creation that failed.
pub(super) fn next_call(view: &MachineView<'_>) -> MachineAction {
    if is_left(view) { MachineAction::DeleteVm } else { MachineAction::CreateVm }
}

fn is_left(view: &MachineView<'_>) -> bool {
    view.recorded_place == RecordedPlace::Elsewhere && view.machine.spec.provider_id.is_empty()
}

/// Nothing is left there. Written before the new place is asked: a crash after that must not look at the old one.
fn settle(view: &MachineView<'_>) -> Option<MachineAction> {
    let ClassKnowledge::Known(class) = view.class else { return None };
    let mut status = view.machine.status.clone();
    status.created_with_class = ClassRecord::of(class).to_text();
    // What the provider kept there tells of what was there.
    status.last_known_state = String::new();
    Some(MachineAction::PatchStatus(Box::new(status)))
}
