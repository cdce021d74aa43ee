//! Nodes that do not take what a rollout writes on them, and when to try again. Remembered so that a node that refuses for
//! good costs a write now and then, and never the rollout itself.

use std::time::Duration;

use jiff::Timestamp;

use crate::backoff::Backoff;
use crate::elapsed::elapsed;

/// A lost race with a kubelet is over in a second; what an admission policy refuses waits for people.
const RETRY: Backoff = Backoff { base: Duration::from_secs(1), factor: 2.0, max: Duration::from_secs(300) };

/// Writes on nodes of a deployment that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeTrouble {
    /// In how many passes in a row.
    pub attempts: u32,
    /// When last.
    pub at: Timestamp,
}

impl NodeTrouble {
    /// What is to be remembered after one more pass with failures.
    #[must_use]
    pub fn after(before: Option<Self>, at: Timestamp) -> Self {
        Self { attempts: before.map_or(0, |before| before.attempts).saturating_add(1), at }
    }

    /// How long nodes are left alone.
    pub(super) fn rest(self, now: Timestamp) -> Option<Duration> {
        let wait = RETRY.delay(self.attempts.saturating_sub(1), 0.0);
        let left = wait.checked_sub(elapsed(self.at, now))?;
        (!left.is_zero()).then_some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_refuse_again_and_again_are_asked_ever_more_rarely() {
        let at = |seconds| Timestamp::from_second(seconds).unwrap();
        let first = NodeTrouble::after(None, at(100));
        assert_eq!(first.rest(at(100)), Some(Duration::from_secs(1)));
        assert_eq!(first.rest(at(101)), None);
        let second = NodeTrouble::after(Some(first), at(101));
        assert_eq!(second.rest(at(101)), Some(Duration::from_secs(2)));
        let many = NodeTrouble { attempts: 50, at: at(0) };
        assert_eq!(many.rest(at(0)), Some(Duration::from_secs(300)));
    }
}
