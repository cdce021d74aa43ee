//! What was tried for a pod, and when it may be tried again.

use std::time::Duration;

use jiff::Timestamp;

use crate::backoff::Backoff;
use crate::elapsed::elapsed;

/// The wait before a refused eviction is tried again.
const RETRY: Backoff = Backoff { base: Duration::from_secs(5), factor: 2.0, max: Duration::from_secs(20) };
/// The longest wait that an API server may ask for.
const LONGEST_WISH: Duration = Duration::from_secs(60);

/// The tries for one pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvictionRecord {
    /// When it was tried first.
    pub first_at: Timestamp,
    /// When last.
    pub at: Timestamp,
    /// How often.
    pub attempts: u32,
    /// What came of the last one.
    pub outcome: EvictionOutcome,
    /// The last one was a deletion that asks nobody.
    pub way: EvictionWay,
    /// How long the API server asks to wait.
    pub retry_after: Option<Duration>,
}

/// How a pod was asked to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvictionWay {
    /// With its grace time, and with the consent of its disruption budget.
    Evicted,
    /// Without either.
    Deleted,
}

/// What came of an eviction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EvictionOutcome {
    /// The pod ends within its grace time.
    Accepted,
    /// A disruption budget does not allow it now.
    Blocked {
        /// The budget, where the API server names it.
        budget: String,
    },
    /// A disruption budget never will allow it: all its pods are well, and it lets none go.
    Misconfigured {
        /// The budget.
        budget: String,
    },
    /// The request failed.
    Failed {
        /// Why.
        message: String,
    },
}

impl EvictionRecord {
    /// How long to wait for the next try. Spread by the pod, so that what was refused together does not come back
    /// together.
    pub(super) fn wait_left(&self, uid: &str, now: Timestamp) -> Duration {
        let own = RETRY.delay(self.attempts.saturating_sub(1), spread(uid));
        let wished = self.retry_after.unwrap_or_default().min(LONGEST_WISH);
        own.max(wished).checked_sub(elapsed(self.at, now)).unwrap_or_default()
    }
}

/// Between 0 and 1, the same for a pod each time.
fn spread(uid: &str) -> f64 {
    let hash = uid.bytes().fold(0_u16, |hash, byte| hash.wrapping_mul(31).wrapping_add(u16::from(byte)));
    f64::from(hash) / f64::from(u16::MAX)
}
