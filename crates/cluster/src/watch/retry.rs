//! When a watch that failed tries again.
//!
//! kube's own back-off starts over with every attempt to list, so that a list which is refused is
//! asked for each second for ever, and otherwise grows to half a minute, in which nothing is seen of a server that is back.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::time::Duration;

use millwright_decide::backoff::Backoff;
use tokio::time::Instant;

const WAITS: Backoff =
    Backoff { base: Duration::from_millis(500), factor: 2.0, max: Duration::from_secs(10) };

/// A watch that went on for this long without failing has worked, whether it showed something or not.
const WORKED: Duration = Duration::from_secs(60);

#[derive(Default)]
pub(super) struct Retry {
    failures: u32,
    last: Option<Instant>,
}

impl Retry {
    pub(super) fn succeeded(&mut self) {
        self.failures = 0;
    }

    /// How long to wait after one more failure.
    pub(super) fn failed(&mut self) -> Duration {
        if self.last.is_some_and(|last| last.elapsed() > WORKED) {
            self.failures = 0;
        }
        self.last = Some(Instant::now());
        let wait = WAITS.delay(self.failures, jitter());
        self.failures = self.failures.saturating_add(1);
        wait
    }
}

/// Each hasher of the standard library starts from a random state of its own.
fn jitter() -> f64 {
    f64::from(RandomState::new().build_hasher().finish() as u32) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waits_grow_to_ten_seconds_and_start_over_after_a_success() {
        let mut retry = Retry::default();
        let waits: Vec<_> = (0..10).map(|_| retry.failed()).collect();
        assert!(waits[0] <= Duration::from_millis(500), "{waits:?}");
        assert!((5..=10).contains(&waits[9].as_secs()), "{waits:?}");
        retry.succeeded();
        assert!(retry.failed() <= Duration::from_millis(500));
    }

    #[tokio::test(start_paused = true)]
    async fn a_quiet_minute_counts_as_a_success() {
        let mut retry = Retry::default();
        let longest = (0..10).map(|_| retry.failed()).max();
        assert!(longest > Some(Duration::from_secs(4)), "{longest:?}");
        tokio::time::advance(WORKED + Duration::from_secs(1)).await;
        assert!(retry.failed() <= Duration::from_millis(500));
    }
}
