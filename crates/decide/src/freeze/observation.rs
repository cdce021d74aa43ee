//! What there is to go by.

use jiff::Timestamp;

/// One look around.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// What came of a probe, if one has ended since the last look.
    pub probe: Option<ProbeAnswer>,
    /// How the watches are.
    pub watches: WatchSight,
}

/// What came of asking both API servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbeAnswer {
    /// Both did what was asked.
    Answered {
        /// When they were asked.
        asked_at: Timestamp,
    },
    /// At least one did not.
    Silent {
        /// When they were asked.
        asked_at: Timestamp,
        /// Which, and why; for people.
        reason: String,
    },
}

/// How the watches are, taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchSight {
    /// Every watch shows what is.
    Fresh,
    /// Machines and nodes are shown as they are, something else is not.
    Partial,
    /// The watch of machines or the one of nodes may show what was.
    Blind,
}
