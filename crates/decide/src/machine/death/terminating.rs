//! Tells other components, by a condition of the Node, that its machine goes, and why. Schedulers and autoscalers can then
//! tell a node that is given up from one that is scaled away.

use jiff::Timestamp;
use millwright_api::keys::node_conditions;
use millwright_api::{ConditionStatus, MachinePhase, NodeView};

use crate::machine::{MachineAction, MachinePlan, MachineView, node_condition};

/// Adds the condition to a plan that makes the drain wait. Before the status: that overwrites the phase from which the
/// reason follows. A node that has the condition keeps its reason.
pub(super) fn announce(plan: &mut MachinePlan, view: &MachineView<'_>, node: &NodeView, now: Timestamp) {
    let waits = plan.actions.iter().any(|action| {
        matches!(
            action,
            MachineAction::PatchStatus(_) | MachineAction::EvictPod(_) | MachineAction::DeletePod(_)
        )
    });
    let is_known =
        node_condition::find(node, node_conditions::TERMINATING).is_some_and(|known| known.is_true());
    if !waits || is_known {
        return;
    }
    let (reason, message) = if view.machine.status.current_status.phase == MachinePhase::Failed {
        ("Unhealthy", "Machine Controller is terminating failed machine")
    } else {
        ("ScaleDown", "Machine Controller is scaling down machine")
    };
    let patch = node_condition::patch(
        node,
        node_conditions::TERMINATING,
        ConditionStatus::True,
        reason,
        message.to_owned(),
        now,
    );
    // The cordon comes first: it is what the drain relies on.
    let place =
        plan.actions.iter().take_while(|action| matches!(action, MachineAction::PatchNode(_))).count();
    if let Some(patch) = patch {
        plan.actions.insert(place, MachineAction::PatchNodeStatus(patch));
    }
}
