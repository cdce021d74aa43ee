//! Empties a machine's node: cordons it, and does what the drain says next. Why it is drained (a deletion, an update in
//! place, a preservation) is the caller's; so is what the status says about it.

use jiff::Timestamp;
use millwright_api::{NodeView, ObjectView};

use super::phase_change::StatusDraft;
use super::{MachineAction, MachinePlan, MachineView, NodePatch};
use crate::drain::{self, DrainProgress, DrainUrgency};

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
    let progress = drain::plan(&view.memory.drain, view.settings, urgency, now);
    let cordoned = node.spec.unschedulable;
    NodeDrain::Going(match progress {
        DrainProgress::MustList { after } if !after.is_zero() => MachinePlan::wait(after),
        DrainProgress::MustList { .. } => {
            MachinePlan::steps([MachineAction::ListPods { node: node.name().to_owned() }])
        }
        // Nothing to evict, seen before the node was cordoned: cordon and release it in one write, then look once more.
        DrainProgress::Done if !cordoned => MachinePlan::steps([
            MachineAction::PatchNode(NodePatch {
                cordon: true,
                ..release.unwrap_or_else(|| NodePatch::of(node.name()))
            }),
            MachineAction::ListPods { node: node.name().to_owned() },
        ]),
        DrainProgress::Done => return NodeDrain::Done { undetached: Vec::new() },
        DrainProgress::Going { actions, description, look_after } => {
            let mut plan = MachinePlan::default();
            if !cordoned {
                plan.actions
                    .push(MachineAction::PatchNode(NodePatch { cordon: true, ..NodePatch::of(node.name()) }));
            }
            plan.actions.extend(say(StatusDraft::of(view.machine, now), description).action());
            plan.actions.extend(actions);
            plan.and_look_after(look_after)
        }
    })
}
