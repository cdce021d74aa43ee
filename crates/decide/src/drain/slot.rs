//! Whether one more node may be drained: an optional limit for all drains of a fleet.

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
