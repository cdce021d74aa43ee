//! A VM is made only from a class that our finalizer holds: else the class could vanish before anything of it is recorded.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::keys::finalizers;
use millwright_api::{MachineClass, MachinePhase, ObjectView, OperationState, OperationType};

use super::phase_change::StatusDraft;
use super::{ClassKnowledge, MachinePlan, MachineView};
use crate::elapsed::elapsed;

/// How long a finalizer that is on its way is not worth a word.
pub(super) const SILENT: Duration = Duration::from_secs(10);
/// How long a birth waits before it looks again; a class that changes wakes it earlier.
const LOOK: Duration = Duration::from_secs(600);

/// What to wait for before a VM may be made; `None` when the class is held.
pub(super) fn wait(view: &MachineView<'_>, now: Timestamp) -> Option<MachinePlan> {
    let ClassKnowledge::Known(class) = view.class else { return None };
    // One that was made already is only finished.
    if !view.machine.spec.provider_id.is_empty() {
        return None;
    }
    if class.is_deleting() {
        let text = format!(
            "MachineClass {:?} is being deleted, so no VM is made from it. Name another class, or create it anew.",
            class.name()
        );
        return Some(say(view, MachinePhase::CrashLoopBackOff, OperationState::Failed, text, "", now));
    }
    if class.has_finalizer(finalizers::MACHINE) {
        return None;
    }
    let left = silence(view, now);
    if !left.is_zero() {
        return Some(MachinePlan::wait(left));
    }
    let phase = view.machine.status.current_status.phase.clone();
    Some(say(view, phase, OperationState::Processing, not_held(class), "", now))
}

/// How long it is still not worth a word: of a new machine, and of any while a new process has yet to see it all.
pub(super) fn silence(view: &MachineView<'_>, now: Timestamp) -> Duration {
    let since = view.machine.created_at().map(|created| created.max(view.trusted_since));
    since.map_or(Duration::ZERO, |since| SILENT.saturating_sub(elapsed(since, now)))
}

fn not_held(class: &MachineClass) -> String {
    format!(
        "Waiting until MachineClass {:?} carries the finalizer {}. Look for a refused write in the controller's log if this lasts.",
        class.name(),
        finalizers::MACHINE
    )
}

pub(super) fn say(
    view: &MachineView<'_>,
    phase: MachinePhase,
    state: OperationState,
    text: String,
    code: &str,
    now: Timestamp,
) -> MachinePlan {
    let says = StatusDraft::of(view.machine, now)
        .phase(phase)
        .operation_with_code(OperationType::Create, state, text, code)
        .action();
    MachinePlan::steps(says).and_look_after(LOOK)
}
