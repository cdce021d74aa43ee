//! Empties a machine's node: cordons it, and does what the drain says next. Why it is drained (a deletion, an update in
//! place, a preservation) is the caller's; so is what the status says about it.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::{Machine, MachineStatus, NodeView, ObjectView};

use super::phase_change::StatusDraft;
use super::{Cordon, MachineAction, MachinePlan, MachineView, NodePatch};
use crate::drain::{
    self, DrainProgress, DrainSlot, DrainUrgency, DrainView, NextLook, SlotUse, describe_wait, later,
    said_since, said_waits_since, waits_for_the_same,
};
use crate::elapsed::elapsed;

/// How old a status may be whose counts alone are wrong.
const COUNTS_LIFE: Duration = Duration::from_secs(30);
/// How long to wait for a slot before a look at what else has changed; a slot that becomes free wakes earlier.
const SLOT_WAIT: Duration = Duration::from_secs(10 * 60);

/// Where the drain of a node is.
pub(super) enum NodeDrain {
    /// Something is to be done or to be waited for.
    Going(MachinePlan),
    /// Nothing is left on the node but what can not be waited for any longer.
    Done {
        /// Names of the volumes that are still attached to it; empty when every one went.
        undetached: Vec<String>,
    },
}

/// The next step. `say` puts what the drain waits for into the status. `release` is added to the write that cordons
/// a node with nothing to drain.
pub(super) fn step<'a>(
    view: &MachineView<'a>,
    node: &NodeView,
    urgency: DrainUrgency,
    release: Option<NodePatch>,
    say: impl FnOnce(StatusDraft<'a>, String) -> StatusDraft<'a>,
    now: Timestamp,
) -> NodeDrain {
    let memory = &view.memory.drain;
    let cordoned = node.spec.unschedulable;
    let list = || MachineAction::ListPods { node: node.name().to_owned() };
    let cordon = |patch: NodePatch| MachineAction::PatchNode(NodePatch { cordon: Some(Cordon::On), ..patch });
    let tell = |description: String| {
        let draft = say(StatusDraft::of(view.machine, now), description);
        draft.action().filter(|action| is_worth_a_write(action, view.machine, now))
    };
    let mut plan = MachinePlan::default();
    if !cordoned {
        plan.actions.push(cordon(NodePatch::of(node.name())));
    }
    if let (DrainUrgency::Graceful { time_left }, DrainSlot::Waits { limit }) = (urgency, view.drain_slot)
        && memory.has_pods()
    {
        let said = said_waits_since(&view.machine.status.last_operation.description, node.name());
        let since = said.or(memory.began_at).unwrap_or(now);
        plan.actions.extend(tell(describe_wait(node.name(), limit, since, later(now, time_left))));
        plan.slot = SlotUse::Awaited;
        return NodeDrain::Going(plan.and_look_after(time_left.min(SLOT_WAIT)));
    }
    let since = said_since(&view.machine.status.last_operation.description, node.name());
    let sight = DrainView {
        node,
        attachments: view.attachments,
        memory,
        settings: view.settings,
        urgency,
        since: since.or(memory.began_at).unwrap_or(now),
        trusted_since: view.trusted_since,
    };
    match drain::plan(&sight, now) {
        DrainProgress::MustList => {
            NodeDrain::Going(MachinePlan { slot: SlotUse::Undecided, ..MachinePlan::steps([list()]) })
        }
        // Nothing to evict, seen before the node was cordoned: cordon and release it in one write, then look once more.
        DrainProgress::Done { .. } if !cordoned => NodeDrain::Going(MachinePlan::steps([
            cordon(release.unwrap_or_else(|| NodePatch::of(node.name()))),
            list(),
        ])),
        DrainProgress::Done { undetached } => NodeDrain::Done { undetached },
        DrainProgress::Going { actions, description, look, pods } => {
            plan.actions.extend(tell(description));
            plan.actions.extend(actions);
            plan.slot = match urgency {
                DrainUrgency::Forced => SlotUse::None,
                // Volumes on their way keep the slot that their pods had.
                DrainUrgency::Graceful { .. } if pods == 0 => SlotUse::Undecided,
                DrainUrgency::Graceful { .. } => SlotUse::Held,
            };
            NodeDrain::Going(match look {
                NextLook::After(wait) => plan.and_look_after(wait),
                NextLook::ListNow => {
                    plan.actions.push(list());
                    plan
                }
            })
        }
    }
}

/// It says something new, and not only how many are left: that is written now and then.
fn is_worth_a_write(action: &MachineAction, machine: &Machine, now: Timestamp) -> bool {
    let MachineAction::PatchStatus(wanted) = action else { return true };
    let known = &machine.status;
    let written = known.last_operation.last_update_time.as_ref().map(|time| time.0);
    if written.is_none_or(|written| elapsed(written, now) >= COUNTS_LIFE) {
        return true;
    }
    let mut last_operation = wanted.last_operation.clone();
    last_operation.description.clone_from(&known.last_operation.description);
    last_operation.last_update_time.clone_from(&known.last_operation.last_update_time);
    let without_text = MachineStatus {
        last_operation,
        observed_generation: known.observed_generation,
        ..(**wanted).clone()
    };
    without_text != *known
        || !waits_for_the_same(&wanted.last_operation.description, &known.last_operation.description)
}
