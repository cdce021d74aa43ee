//! The drain of a deletion: how urgent it is, what it says, and what its end means for the volumes.

use jiff::Timestamp;
use millwright_api::{DeletionStep, NodeView, OperationState};

use super::{complain, failure_of, release_node, status, terminating, urgency};
use crate::drain::DrainUrgency;
use crate::machine::node_drain::{self, NodeDrain};
use crate::machine::phase_change::StatusDraft;
use crate::machine::{MachineAction, MachinePlan, MachineView};

/// How often a step of a forced drain may fail in a row before the drain is given up.
const FORCED_ATTEMPTS: u32 = 3;

/// How a drain ended.
pub(super) enum Drained {
    /// Every pod ended, and its volumes with it.
    Gracefully,
    /// Every pod ended, and these volumes stayed attached beyond their time.
    WithVolumes {
        /// Their names.
        undetached: Vec<String>,
    },
    /// Every pod was deleted without waiting for it, so their volumes may still be attached.
    ByForce,
    /// It could not be done, or not for every pod, and nobody waits for it any more.
    NotAtAll {
        /// Why.
        reason: String,
    },
    /// By a process before this one, which did not wait for volumes.
    Before,
}

/// The end of the drain, or its next step.
pub(super) fn step(view: &MachineView<'_>, node: &NodeView, now: Timestamp) -> Result<Drained, MachinePlan> {
    let urgency = urgency::urgency(view, node, now);
    let failure = failure_of(view, DeletionStep::DrainNode);
    let given_up = failure.filter(|failure| failure.attempts >= FORCED_ATTEMPTS);
    if let (DrainUrgency::Forced, Some(failure)) = (urgency, given_up) {
        return Ok(Drained::NotAtAll { reason: failure.message.clone() });
    }
    let mut plan = match node_drain::step(view, node, urgency, release_node(node), say_draining, now) {
        NodeDrain::Going(plan) => plan,
        NodeDrain::Done { .. } if urgency == DrainUrgency::Forced => {
            return Ok(match view.memory.drain.refused_deletions() {
                Some(reason) => Drained::NotAtAll { reason },
                None => Drained::ByForce,
            });
        }
        NodeDrain::Done { undetached } if undetached.is_empty() => return Ok(Drained::Gracefully),
        NodeDrain::Done { undetached } => return Ok(Drained::WithVolumes { undetached }),
    };
    if let Some(failure) = failure {
        let text = format!("Drain failed due to - {}. Will retry in next sync.", failure.message);
        // One status at a time, and this one is the news.
        plan.actions.retain(|action| !matches!(action, MachineAction::PatchStatus(_)));
        plan.actions.splice(0..0, complain(view, &text, DeletionStep::DrainNode, now));
    }
    terminating::announce(&mut plan, view, node, now);
    Err(plan)
}

fn say_draining(draft: StatusDraft<'_>, description: String) -> StatusDraft<'_> {
    status(draft, OperationState::Processing, &description, DeletionStep::DrainNode)
}
