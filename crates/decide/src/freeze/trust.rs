//! The answer that decisions get.

use jiff::Timestamp;

/// The state of a fleet's trust in its API servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Freeze {
    /// Both API servers answer.
    #[default]
    Thawed,
    /// One of them has not answered for too long.
    Frozen,
}

impl Freeze {
    /// Nothing may be judged now.
    #[must_use]
    pub const fn is_frozen(self) -> bool {
        matches!(self, Self::Frozen)
    }
}

/// Whether we can trust what we see, and since when without a break: health is judged by time after this only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trust {
    /// Now.
    pub freeze: Freeze,
    /// The start of the process or the last thaw, whichever is later; now itself, while there is doubt.
    pub since: Timestamp,
}
