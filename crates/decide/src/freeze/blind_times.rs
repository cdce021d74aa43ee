//! When we were blind: a deadline that somebody waits for is put off by it.

use std::collections::VecDeque;
use std::time::Duration;

use jiff::Timestamp;

use crate::elapsed::elapsed;

/// How many periods are kept. Forgetting the oldest makes a deadline earlier, never later.
const KEPT: usize = 256;

/// Periods without sight that are over, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct BlindTimes(VecDeque<(Timestamp, Timestamp)>);

impl BlindTimes {
    pub(super) fn add(&mut self, from: Timestamp, to: Timestamp) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back((from, to));
    }

    /// How much of the time after `since` they take.
    pub(super) fn since(&self, since: Timestamp) -> Duration {
        self.0.iter().map(|(from, to)| elapsed((*from).max(since), *to)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    #[test]
    fn only_what_lies_after_a_moment_counts() {
        let mut times = BlindTimes::default();
        times.add(at(10), at(20));
        times.add(at(50), at(55));
        for (since, blind) in [(0, 15), (15, 10), (20, 5), (52, 3), (60, 0)] {
            assert_eq!(times.since(at(since)), Duration::from_secs(blind), "{since}");
        }
    }

    #[test]
    fn a_flapping_server_never_lets_them_grow_without_bound() {
        let mut times = BlindTimes::default();
        for second in 0..10_000 {
            times.add(at(2 * second), at(2 * second + 1));
        }
        assert_eq!(times.since(at(0)), Duration::from_secs(KEPT as u64));
    }
}
