//! Empties a node before its agent updates it.

use jiff::Timestamp;
use millwright_api::keys::node_conditions;
use millwright_api::{MachinePhase, NodeView, ObjectView, OperationState, OperationType};

use super::progress::Progress;
use crate::machine::node_drain::{self, NodeDrain};
use crate::machine::phase_change::StatusDraft;
use crate::machine::{MachineAction, MachinePlan, MachineView, drain_force, node_condition};

/// The next step for a node that is selected, or was drained.
pub(super) fn plan(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    let Some(node) = view.node else { return MachinePlan::at_rest() };
    match Progress::of(node) {
        Some(Progress::Selected) if may_be_updated(view) => drain_node(view, node, now),
        Some(Progress::Drained) => {
            let patch = Progress::Ready.told(node, now);
            MachinePlan::steps(patch.map(MachineAction::PatchNodeStatus))
        }
        _ => MachinePlan::at_rest(),
    }
}

/// A machine that is not there yet, or that its set replaces, is not updated any more.
fn may_be_updated(view: &MachineView<'_>) -> bool {
    matches!(
        view.machine.status.current_status.phase,
        MachinePhase::Running
            | MachinePhase::Unknown
            | MachinePhase::InPlaceUpdating
            | MachinePhase::InPlaceUpdateSuccessful
            | MachinePhase::InPlaceUpdateFailed
    )
}

fn drain_node(view: &MachineView<'_>, node: &NodeView, now: Timestamp) -> MachinePlan {
    let selected_at = node_condition::find(node, node_conditions::IN_PLACE_UPDATE)
        .and_then(|condition| condition.last_transition_time.as_ref())
        .map_or(view.trusted_since, |time| time.0);
    let urgency = drain_force::urgency(view, node, selected_at, now);
    match node_drain::step(view, node, urgency, None, say_draining, now) {
        NodeDrain::Going(plan) => plan,
        NodeDrain::Done { undetached } => drained(view, node, &undetached, now),
    }
}

fn say_draining(draft: StatusDraft<'_>, description: String) -> StatusDraft<'_> {
    draft.operation(OperationType::DrainNode, OperationState::Processing, description)
}

/// The phase goes first: a node must not be handed to its agent while its health is still judged.
fn drained(view: &MachineView<'_>, node: &NodeView, undetached: &[String], now: Timestamp) -> MachinePlan {
    let mut description = format!("Machine {} is undergoing an in-place update", view.machine.name());
    if !undetached.is_empty() {
        description.push_str(&format!("; volumes still attached to its node: {}", undetached.join(", ")));
    }
    let status = StatusDraft::of(view.machine, now)
        .phase(MachinePhase::InPlaceUpdating)
        .operation(OperationType::InPlaceUpdate, OperationState::Processing, description)
        .action();
    let condition = Progress::Drained.told(node, now).map(MachineAction::PatchNodeStatus);
    MachinePlan::steps(status.into_iter().chain(condition))
}
