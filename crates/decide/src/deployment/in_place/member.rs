//! How far the update of one machine is.

use millwright_api::keys::annotations::UPDATE_TARGET;
use millwright_api::keys::labels;
use millwright_api::{Machine, MachinePhase, NodeView, ObjectView};

use crate::machine::{UpdateProgress, UpdateResult, update_result};

/// How far an update is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::deployment) enum Update {
    /// Nothing was done to the node that could not be taken back.
    NotBegun,
    /// It is drained or updated, or its update has failed.
    Begun,
    /// Its agent has updated it, and its machine's side has taken note.
    Done,
}

impl Update {
    pub(in crate::deployment) fn of(machine: &Machine, node: &NodeView) -> Self {
        let progress = UpdateProgress::of(node);
        let is_handed_over = machine.status.current_status.phase == MachinePhase::InPlaceUpdating;
        match (update_result(node), progress) {
            (Some(UpdateResult::Successful), Some(UpdateProgress::Successful)) if !is_handed_over => {
                Self::Done
            }
            // Its labels were taken off just when its drain began: nobody tells in the condition any more.
            (Some(UpdateResult::Successful), Some(UpdateProgress::Ready))
                if !is_handed_over && !is_candidate(node) =>
            {
                Self::Done
            }
            (None, None | Some(UpdateProgress::Candidate | UpdateProgress::Successful)) => Self::NotBegun,
            _ => Self::Begun,
        }
    }
}

/// Nobody asked for the machine to go.
pub(in crate::deployment) fn is_active(machine: &Machine) -> bool {
    !machine.is_deleting() && machine.status.current_status.phase != MachinePhase::Terminating
}

/// It runs, as a set counts it.
pub(super) fn runs(machine: &Machine) -> bool {
    is_active(machine)
        && matches!(machine.status.current_status.phase, MachinePhase::Running | MachinePhase::Available)
}

/// It was moved, and its set's size may not have caught up.
pub(super) fn is_moved(machine: &Machine) -> bool {
    machine.label(labels::UPDATE_RESULT) == Some("successful")
}

pub(super) fn is_candidate(node: &NodeView) -> bool {
    node.label(labels::CANDIDATE_FOR_UPDATE).is_some()
}

/// It is drained now or will be.
pub(super) fn is_selected(node: &NodeView) -> bool {
    node.label(labels::SELECTED_FOR_UPDATE).is_some()
}

/// Its update leads or led to another set than this one. Where nobody wrote down where it leads, as in a rollout that
/// another controller began, it leads here.
pub(super) fn leads_elsewhere(node: &NodeView, newest: &str) -> bool {
    node.annotation(UPDATE_TARGET).is_some_and(|target| target != newest)
}
