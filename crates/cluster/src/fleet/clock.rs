//! The only clock of the controllers: wall time at start plus monotonic time since, so that a clock
//! that is set back never makes a time-out run twice, and tests can pause it.

use jiff::Timestamp;
use tokio::time::Instant;

/// Tells the time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    base: Timestamp,
    started: Instant,
}

impl Clock {
    /// A clock that shows `base` now.
    #[must_use]
    pub fn starting_at(base: Timestamp) -> Self {
        Self { base, started: Instant::now() }
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.base.checked_add(self.started.elapsed()).unwrap_or(self.base)
    }
}
