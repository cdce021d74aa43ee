//! The deletion of the VM: asked for, waited for, tried again.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::{ClassRecord, DeletionStep, OperationState};

use super::{complain, reached, status};
use crate::elapsed::elapsed;
use crate::machine::phase_change::StatusDraft;
use crate::machine::{MachineAction, MachinePlan, MachineView, VmClass, VmKnowledge, old_place, retry_delay};

/// How long a deletion waits for its class before it looks again; a class that appears wakes it earlier.
const CLASS_WAIT: Duration = Duration::from_secs(600);

pub(super) fn plan(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    if !reached::can_ask_the_cloud(view) {
        return class_missing(view, now);
    }
    // It comes within seconds, and it or its failure wakes the machine: no status is worth that.
    if view.memory.vm == VmKnowledge::Unproven {
        return MachinePlan::at_rest();
    }
    if let VmKnowledge::Deleting { ask_at, .. } = &view.memory.vm {
        let left = elapsed(now, *ask_at);
        if !left.is_zero() {
            let draft = StatusDraft::of(view.machine, now).provider_state(view.memory);
            let text = "The cloud is deleting the VM.";
            let says = status(draft, OperationState::Processing, text, DeletionStep::DeleteVm).action();
            return MachinePlan::steps(says).and_look_after(left);
        }
    }
    let Some(failure) = reached::deletion_failure(view) else {
        return MachinePlan::steps([MachineAction::DeleteVm]);
    };
    let text = failure.code.to_text(&failure.message);
    let text = format!("VM deletion failed due to - {text}.{} Will retry.", elsewhere(view));
    let mut plan = MachinePlan::default();
    plan.actions.extend(complain(view, &text, DeletionStep::DeleteVm, now));
    let wait = retry_delay(failure, view.settings, view.jitter);
    let waited = elapsed(failure.at, now);
    if waited < wait {
        return plan.and_look_after(wait.checked_sub(waited).unwrap_or_default());
    }
    plan.actions.push(MachineAction::DeleteVm);
    plan
}

/// Where the deletion is asked for, when its class does not say it.
fn elsewhere(view: &MachineView<'_>) -> String {
    match view.vm_class {
        VmClass::Current => String::new(),
        VmClass::Recorded => format!(
            " It is looked for where it was asked for ({}), which MachineClass {:?} says no longer.",
            old_place::origin(view),
            view.machine.spec.class.name
        ),
    }
}

fn class_missing(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    let kept = match ClassRecord::on(view.machine) {
        Some(_) => ", and its providerSpec was too large to be kept on the machine",
        None => "",
    };
    let text = format!(
        "MachineClass {:?} does not exist{kept}, so the VM can not be deleted. Restore the class, and the deletion goes on.",
        view.machine.spec.class.name,
    );
    let says = complain(view, &text, DeletionStep::DeleteVm, now);
    MachinePlan::steps(says).and_look_after(CLASS_WAIT)
}
