//! How long the drain of a deletion may wait.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use millwright_api::keys::labels;
use millwright_api::{NodeView, ObjectView};

use crate::drain::DrainUrgency;
use crate::elapsed::elapsed;
use crate::machine::MachineView;
use crate::machine::drain_force::node_is_unresponsive;

/// What every drain gets after a time in which we could not see: evictions may not have been tried at all in it.
const SIGHT: Duration = Duration::from_secs(5 * 60);

/// Forced by the label, by a node whose kubelet can end no pod, and at the deadline.
pub(super) fn urgency(view: &MachineView<'_>, node: &NodeView, now: Timestamp) -> DrainUrgency {
    let time_left = elapsed(now, deadline(view, now));
    if is_asked_for(view) || time_left.is_zero() || node_is_unresponsive(view, node, now) {
        DrainUrgency::Forced
    } else {
        DrainUrgency::Graceful { time_left }
    }
}

/// The label says so, in any spelling that Go takes for true.
fn is_asked_for(view: &MachineView<'_>) -> bool {
    matches!(view.machine.label(labels::FORCE_DELETION), Some("True" | "true" | "TRUE" | "1" | "t" | "T"))
}

/// The drain time-out since the deletion was asked for, whatever was restarted meanwhile, and as much longer as we were
/// blind. A restart forgets how long that was, so no drain is forced right after a time of blindness either. A
/// time-out of zero is a wish not to wait, and stays one.
fn deadline(view: &MachineView<'_>, now: Timestamp) -> Timestamp {
    let timeout = view.settings.drain_timeout;
    let after = |since: Timestamp, time: Duration| {
        since
            .checked_add(SignedDuration::try_from(time).unwrap_or(SignedDuration::MAX))
            .unwrap_or(Timestamp::MAX)
    };
    let asked = view.machine.deleted_at().unwrap_or(now);
    let promised = match timeout {
        Duration::ZERO => asked,
        timeout => after(asked, timeout.saturating_add(view.blind_since_deletion)),
    };
    if view.trusted_since > asked {
        promised.max(after(view.trusted_since, timeout.min(SIGHT)))
    } else {
        promised
    }
}
