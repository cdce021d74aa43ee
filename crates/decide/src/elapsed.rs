//! Time between two timestamps as an unsigned duration: a clock that runs backwards reads as zero.

use std::time::Duration;

use jiff::Timestamp;

/// From `since` to `now`; zero when `since` lies in the future.
#[must_use]
pub fn elapsed(since: Timestamp, now: Timestamp) -> Duration {
    now.duration_since(since).try_into().unwrap_or(Duration::ZERO)
}

/// Cuts a timestamp to whole seconds, as the API server stores it: a time that is compared with its
/// own read-back must not differ by nanoseconds.
#[must_use]
pub fn whole_seconds(now: Timestamp) -> Timestamp {
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}
