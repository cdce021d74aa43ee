//! Until when a call may take.

use std::time::{Duration, Instant};

/// A point in time after which nobody waits for the answer any more.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// A deadline `budget` after `now`.
    #[must_use]
    pub fn after(now: Instant, budget: Duration) -> Self {
        Self(now + budget)
    }

    /// What is left at `now`; zero when it has passed.
    #[must_use]
    pub fn left(self, now: Instant) -> Duration {
        self.0.saturating_duration_since(now)
    }

    /// The point in time.
    #[must_use]
    pub fn instant(self) -> Instant {
        self.0
    }
}
