//! Whether one more node may be drained: an optional limit for all drains of a fleet.

use jiff::Timestamp;

use super::describe::said_after;
use crate::elapsed::whole_seconds;

/// A machine's place among those that are drained: flag `--machine-max-concurrent-drains`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrainSlot {
    /// It may begin, or has begun.
    #[default]
    Granted,
    /// As many as are allowed are being drained.
    Waits {
        /// The limit.
        limit: usize,
    },
}

/// What a plan has to do with the limit of concurrent drains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlotUse {
    /// It drains nothing, or nothing that needs a slot: one it had is free again.
    #[default]
    None,
    /// It is not known yet; a slot or a place in the line is kept.
    Undecided,
    /// It drains, and has a slot.
    Held,
    /// It would drain, and waits for a slot.
    Awaited,
}

/// Since when a drain waits for a slot, as a description says it.
pub(crate) fn said_waits_since(description: &str, node: &str) -> Option<Timestamp> {
    said_after(description, &format!("Draining node {node} waits since "))
}

/// What a drain says that waits for a slot: since when, for what, and when it is forced without one.
pub(crate) fn describe_wait(node: &str, limit: usize, since: Timestamp, until: Timestamp) -> String {
    format!(
        "Draining node {node} waits since {} until fewer than {limit} other nodes are being drained. Forced at {}.",
        whole_seconds(since),
        whole_seconds(until)
    )
}

impl SlotUse {
    /// The stronger of two, when a plan is made of two parts.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, other) => other,
            (this, _) => this,
        }
    }
}
