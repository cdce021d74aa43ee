//! Ends a preservation. The expiry time goes last: as long as it is there, the end may not be complete.

use jiff::Timestamp;
use millwright_api::keys::annotations::PRESERVE;
use millwright_api::{ObjectView, controller_of};

use super::goal::Wishes;
use super::{has_failed, record};
use crate::machine::phase_change::StatusDraft;
use crate::machine::{MachineAction, MachinePlan, MachineView, NodePatch};

/// The steps, of which there are none when nothing was kept.
pub(super) fn plan(
    view: &MachineView<'_>,
    pending: Option<NodePatch>,
    wishes: Wishes,
    now: Timestamp,
) -> MachinePlan {
    let was_kept = view.machine.status.current_status.preserve_expiry_time.is_some();
    let mut plan = MachinePlan::default();
    if let Some(node) = view.node {
        let mut patch = pending.unwrap_or_else(|| NodePatch::of(node.name()));
        record::remove_taint(node, &mut patch);
        // The mark says that the annotation is ours, not what for: a rollout sets both too.
        if was_kept {
            record::enable_scale_down(node, &mut patch);
        }
        if wishes == Wishes::Go && node.annotation(PRESERVE).is_some() {
            patch.annotations.insert(PRESERVE.to_owned(), None);
        }
        plan.actions.extend((!patch.is_empty()).then_some(MachineAction::PatchNode(patch)));
        plan.actions.extend(record::stopped(node, now).map(MachineAction::PatchNodeStatus));
    }
    let patch = match wishes {
        Wishes::Go => record::withdrawn(view.machine),
        Wishes::Stay => view.node.and_then(|node| record::obeyed(view.machine, node)),
    };
    plan.actions.extend(patch.map(MachineAction::PatchMachine));
    if !is_left_to_its_set(view, now) {
        plan.actions.extend(StatusDraft::of(view.machine, now).preserved_until(None).action());
    }
    plan
}

/// A failed machine whose time is over is replaced by its set, which goes by that time: without it the set could not
/// tell the machine from one that has just failed, and might keep it automatically once more.
fn is_left_to_its_set(view: &MachineView<'_>, now: Timestamp) -> bool {
    let status = &view.machine.status.current_status;
    has_failed(&status.phase)
        && status.preserve_expiry_time.as_ref().is_some_and(|expiry| expiry.0 <= now)
        && controller_of(&view.machine.metadata).is_some()
}
