//! An update of a node in place, as its machine sees it: follows the labels that the deployment's controller (or a
//! user) and the node's agent put on the Node, drains it, and says in the machine's phase how it went.
//!
//! Every step follows from labels, the condition `InPlaceUpdate` and the phase alone, so that a crash between two
//! steps costs nothing. Who is a candidate, who is next, and to which set an updated machine belongs is decided by the
//! deployment.

mod drain;
mod outcome;
mod progress;

pub(crate) use progress::{Progress as UpdateProgress, UpdateResult, result as update_result};

use jiff::Timestamp;
use millwright_api::{Machine, NodeView, OperationType};

use super::{MachineAction, MachinePlan, MachineView, MeltdownUse};
use crate::settings::TargetCluster;

/// The next step of an update, if one goes on.
pub(super) fn plan(view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    if view.settings.target == TargetCluster::Absent {
        return MachinePlan::at_rest();
    }
    let mut plan = outcome::plan(view, now);
    if let Some(patch) = view.node.and_then(|node| progress::patch(node, now)) {
        plan.actions.push(MachineAction::PatchNodeStatus(patch));
    }
    // The next step depends on what these writes say; and there is none for a machine that waits to be given up.
    if !plan.actions.is_empty() || plan.meltdown != MeltdownUse::NotAsked {
        return plan;
    }
    plan.and(drain::plan(view, now))
}

/// A failed machine was given up because of its update, and its node's agent has not mended that since.
pub(super) fn has_given_up(machine: &Machine, node: &NodeView) -> bool {
    machine.status.last_operation.type_ == OperationType::InPlaceUpdate
        && progress::result(node) != Some(progress::UpdateResult::Successful)
}
