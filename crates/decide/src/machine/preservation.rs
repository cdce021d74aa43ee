//! Keeps a machine although it has failed, or an autoscaler would remove it, because somebody wants to look at it: what
//! is asked for stands in an annotation of the Node or the Machine, `status.currentStatus.preserveExpiryTime` says that
//! it is kept and until when.
//!
//! The set spares what is kept; it also asks, within its limit, for failed machines to be kept (`auto-preserved`).
//! A deletion that was asked for goes its way.

mod goal;
mod keep;
mod record;
mod release;
mod value;

pub(crate) use value::{AUTOMATIC, is_automatic, is_kept, may_be_kept_automatically};

use jiff::Timestamp;
use millwright_api::MachinePhase;

use super::{MachineAction, MachinePlan, MachineView, NodePatch};
use goal::Goal;

/// Adds the next step to what the machine's other parts want. Their change of the node goes into this one's, so that a
/// pass writes the node once, and where this step wants it: a node that takes no write must not hold up what comes before.
pub(super) fn add_to(mut plan: MachinePlan, view: &MachineView<'_>, now: Timestamp) -> MachinePlan {
    let pending = plan.actions.iter().position(|action| matches!(action, MachineAction::PatchNode(_)));
    let known = pending.and_then(|place| match &plan.actions[place] {
        MachineAction::PatchNode(patch) => Some(patch.clone()),
        _ => None,
    });
    let steps = steps(view, known, now);
    if let Some(pending) = pending
        && steps.actions.iter().any(|action| matches!(action, MachineAction::PatchNode(_)))
    {
        plan.actions.remove(pending);
    }
    plan.and(steps)
}

/// The next step, its change of the node on top of one that is made in any case.
fn steps(view: &MachineView<'_>, pending: Option<NodePatch>, now: Timestamp) -> MachinePlan {
    let mut plan = match goal::goal(view.machine, view.node, now) {
        Goal::Keep { by } => keep::plan(view, pending, by, now),
        Goal::Release { wishes } => release::plan(view, pending, wishes, now),
        Goal::Unclear => MachinePlan::at_rest(),
    };
    plan.actions.extend(value::complaint(view).map(|message| MachineAction::ReportMisuse { message }));
    plan
}

/// Whether a machine that has failed is meant, the only phase in which some values keep it.
fn has_failed(phase: &MachinePhase) -> bool {
    *phase == MachinePhase::Failed
}
