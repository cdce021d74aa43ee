//! The phases of a machine whose node updates itself: waiting for its agent, done, failed, given up.

use jiff::Timestamp;
use millwright_api::{MachinePhase, NodeView, ObjectView, OperationState, OperationType};

use super::progress::{self, UpdateResult};
use crate::machine::health::{Health, give_up, health_of};
use crate::machine::phase_change::StatusDraft;
use crate::machine::phase_time::left_in_phase;
use crate::machine::{MachinePlan, MachineView};

/// The change of phase that is due, or when one will be.
pub(super) fn plan(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    let reported = view.node.and_then(progress::result);
    match (&view.machine.status.current_status.phase, reported) {
        (
            MachinePhase::InPlaceUpdating | MachinePhase::InPlaceUpdateFailed,
            Some(UpdateResult::Successful),
        ) => {
            let text = format!("Machine {} successfully updated dependencies", view.machine.name());
            enter(view, MachinePhase::InPlaceUpdateSuccessful, OperationState::Successful, text, now)
        }
        (MachinePhase::InPlaceUpdating, Some(UpdateResult::Failed)) => {
            let reason = view.node.map_or("", progress::failure);
            let text = format!("Machine {} failed to update dependencies: {reason}", view.machine.name());
            enter(view, MachinePhase::InPlaceUpdateFailed, OperationState::Failed, text, now)
        }
        (MachinePhase::InPlaceUpdating, None) => updating(view, now),
        (MachinePhase::InPlaceUpdateFailed, _) => failed(view, now),
        (MachinePhase::InPlaceUpdateSuccessful, _) => updated(view, now),
        _ => MachinePlan::at_rest(),
    }
}

fn enter(
    view: &MachineView<'_>,
    phase: MachinePhase,
    state: OperationState,
    description: String,
    now: Timestamp,
) -> MachinePlan {
    let status = StatusDraft::of(view.machine, now)
        .phase(phase)
        .operation(OperationType::InPlaceUpdate, state, description)
        .action();
    MachinePlan::steps(status)
}

fn updating(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    let timeout = view.settings.in_place_update_timeout;
    if let Some(left) = left_in_phase(view, timeout, now) {
        return MachinePlan::wait(left);
    }
    let text = format!(
        "Machine {} failed to in-place update in {} minutes.",
        view.machine.name(),
        timeout.as_secs() / 60
    );
    enter(view, MachinePhase::InPlaceUpdateFailed, OperationState::Failed, text, now)
}

/// A failed update may be mended by the agent or by hand; after the health time-out the machine is given up like one
/// that is unhealthy.
fn failed(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    if view.machine.spec.configuration.disable_health_timeout == Some(true) {
        return MachinePlan::at_rest();
    }
    let timeout = view.settings.health_timeout;
    if let Some(left) = left_in_phase(view, timeout, now) {
        return MachinePlan::wait(left);
    }
    give_up(view, StatusDraft::of(view.machine, now), "its in-place update failed")
}

/// An updated node that gets healthy is a node like any other; so is one that does not get healthy in time.
fn updated(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    let name = view.machine.name();
    let health = view.node.map(|node: &NodeView| health_of(node, &view.settings.node_conditions));
    let (phase, state, description) = match health {
        Some(Health::Good) => (
            MachinePhase::Running,
            OperationState::Successful,
            format!("Machine {name} successfully re-joined the cluster"),
        ),
        sick => {
            if let Some(left) = left_in_phase(view, view.settings.health_timeout, now) {
                return MachinePlan::wait(left);
            }
            let reason = match sick {
                Some(Health::Bad(reason)) => reason,
                _ => "its Node object does not exist".to_owned(),
            };
            let text = format!(
                "Machine {name} is unhealthy after its in-place update - changing MachinePhase to Unknown: {reason}"
            );
            (MachinePhase::Unknown, OperationState::Processing, text)
        }
    };
    let status = StatusDraft::of(view.machine, now)
        .phase(phase)
        .operation(OperationType::HealthCheck, state, description)
        .action();
    MachinePlan::steps(status)
}
