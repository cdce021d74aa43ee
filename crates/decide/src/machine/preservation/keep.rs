//! Begins a preservation and keeps it up: the expiry time, autoscalers kept away, and for a failed machine a node
//! without workload that gets none.

use jiff::Timestamp;
use millwright_api::{NodeView, ObjectView};

use super::goal::Keeper;
use super::has_failed;
use super::record::{self, Kept};
use crate::elapsed::{elapsed, whole_seconds};
use crate::machine::node_drain::{self, NodeDrain};
use crate::machine::phase_change::StatusDraft;
use crate::machine::{MachineAction, MachinePlan, MachineView, NodePatch, drain_force};

/// The next step, and a look at the end of the time.
pub(super) fn plan(
    view: &MachineView<'_>,
    pending: Option<NodePatch>,
    by: Keeper,
    now: Timestamp,
) -> MachinePlan {
    let known = view.machine.status.current_status.preserve_expiry_time.as_ref().map(|time| time.0);
    let until = known.unwrap_or_else(|| expiry(view, now));
    let mut plan = MachinePlan::default();
    let obeyed = view.node.and_then(|node| record::obeyed(view.machine, node));
    plan.actions.extend(obeyed.map(MachineAction::PatchMachine));
    // The time first, also when there is no node or VM to keep: the set goes by it.
    plan.actions.extend(StatusDraft::of(view.machine, now).preserved_until(Some(until)).action());
    if let Some(node) = view.node {
        let mut patch = pending.unwrap_or_else(|| NodePatch::of(node.name()));
        record::disable_scale_down(node, &mut patch);
        if has_failed(&view.machine.status.current_status.phase) {
            record::add_taint(node, &mut patch, now);
        } else {
            record::remove_taint(node, &mut patch);
        }
        let is_closed = patch.taints.is_none();
        plan.actions.extend((!patch.is_empty()).then_some(MachineAction::PatchNode(patch)));
        plan = plan.and(condition(view, node, is_closed, by, until, now));
    }
    plan.and_look_after(elapsed(now, until))
}

/// When a preservation that begins now ends.
fn expiry(view: &MachineView<'_>, now: Timestamp) -> Timestamp {
    let now = whole_seconds(now);
    now.checked_add(view.settings.preserve_timeout).unwrap_or(Timestamp::MAX)
}

/// What the node's condition says, and the drain of a failed machine's node before it.
fn condition(
    view: &MachineView<'_>,
    node: &NodeView,
    is_closed: bool,
    by: Keeper,
    until: Timestamp,
    now: Timestamp,
) -> MachinePlan {
    let say =
        |kept: Kept<'_>| record::keeping(node, kept, by, until, now).map(MachineAction::PatchNodeStatus);
    if !has_failed(&view.machine.status.current_status.phase) {
        return MachinePlan::steps(say(Kept::AsItIs));
    }
    if record::is_drained(node) {
        return MachinePlan::steps(say(Kept::Drained));
    }
    if !is_closed {
        return MachinePlan::default();
    }
    // Behind its taint a node gets no new pods, which is all that the drain wants of a cordon.
    let mut closed = node.clone();
    closed.spec.unschedulable = true;
    let began_at = record::taint(node).and_then(|taint| taint.time_added.as_ref());
    let failed_at = view.machine.status.current_status.last_update_time.as_ref();
    let since = began_at.or(failed_at).map_or(view.trusted_since, |time| time.0);
    let urgency = drain_force::urgency(view, node, since, now);
    let mut waits_for: Option<String> = None;
    // The status keeps saying why the machine failed: that is what it is kept for.
    let note = |draft, description| {
        waits_for = Some(description);
        draft
    };
    match node_drain::step(view, &closed, urgency, None, note, now) {
        NodeDrain::Done { .. } => match view.memory.drain.refused_deletions() {
            Some(reason) => {
                let again = view.memory.drain.deletions_to_repeat().map(MachineAction::DeletePod);
                let said = say(Kept::Draining(&format!("{reason}.")));
                MachinePlan::steps(said.into_iter().chain(again))
                    .and_look_after(view.memory.drain.listing_life_left(now))
            }
            None => MachinePlan::steps(say(Kept::Drained)),
        },
        NodeDrain::Going(mut plan) => {
            plan.actions.extend(waits_for.as_deref().and_then(|what| say(Kept::Draining(what))));
            plan
        }
    }
}
