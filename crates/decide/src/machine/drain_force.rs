//! When a drain must not wait for pods any more: the same rules for a deletion, an update in place and a preservation.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::keys::{labels, node_conditions};
use millwright_api::{NodeView, ObjectView};

use super::MachineView;
use crate::drain::DrainUrgency;
use crate::elapsed::elapsed;

/// How long a kubelet may be silent, or its disk read-only, before nobody waits for it to end pods.
const SILENCE: Duration = Duration::from_secs(5 * 60);

/// Its kubelet can end no pod, and has been unable to for five minutes during which we could see it.
pub(super) fn node_is_unresponsive(view: &MachineView<'_>, node: &NodeView, now: Timestamp) -> bool {
    node.status.conditions.iter().any(|condition| {
        let is_bad = match condition.type_.as_str() {
            node_conditions::READY => condition.status != "True",
            node_conditions::READONLY_FILESYSTEM => condition.status != "False",
            _ => false,
        };
        let since = condition
            .last_transition_time
            .as_ref()
            .map_or(view.trusted_since, |time| time.0.max(view.trusted_since));
        is_bad && elapsed(since, now) > SILENCE
    })
}

/// The urgency of a drain that is no deletion's and began at `since`: only time during which we could see counts.
pub(super) fn urgency(
    view: &MachineView<'_>,
    node: &NodeView,
    since: Timestamp,
    now: Timestamp,
) -> DrainUrgency {
    let timeout = view.settings.drain_timeout;
    let waited = elapsed(since.max(view.trusted_since), now);
    let asked = view.machine.label(labels::FORCE_DRAIN) == Some("True");
    if asked || waited > timeout || node_is_unresponsive(view, node, now) {
        return DrainUrgency::Forced;
    }
    DrainUrgency::Graceful { time_left: timeout.checked_sub(waited).unwrap_or_default() }
}
