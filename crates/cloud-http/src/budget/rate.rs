//! How fast a budget of calls fills.

use std::time::Duration;

/// Slower than this is no rate: a call would wait for longer than anybody waits.
const SLOWEST: Duration = Duration::from_secs(3600);

/// How fast a bucket fills.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Calls for each second, in the long run.
    pub per_second: f64,
    /// Calls at once, after a rest.
    pub burst: u32,
}

impl Rate {
    /// The time in which one call comes in. What is no positive number counts as one an hour.
    pub(super) fn interval(self) -> Duration {
        let interval = Duration::try_from_secs_f64(1.0 / self.per_second).unwrap_or(SLOWEST);
        interval.clamp(Duration::from_nanos(1), SLOWEST)
    }
}
