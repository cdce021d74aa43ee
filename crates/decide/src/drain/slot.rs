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
