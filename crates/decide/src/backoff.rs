//! How long to wait before the next attempt. Keeps no count: whoever retries knows how often it failed.

use std::time::Duration;

/// An exponential wait with an upper bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    /// The wait after the first failure.
    pub base: Duration,
    /// How much longer each further wait is; below 1 counts as 1.
    pub factor: f64,
    /// No wait is longer than this.
    pub max: Duration,
}

impl Backoff {
    /// The wait after failure number `attempt`, counted from 0.
    ///
    /// `jitter` comes from the caller, in 0..=1: it takes away up to half of the wait, so that what
    /// failed together does not come back together. 0 is the exact exponential.
    #[must_use]
    pub fn delay(self, attempt: u32, jitter: f64) -> Duration {
        let exponent = i32::try_from(attempt).unwrap_or(i32::MAX);
        // f64::max ignores NaN; the growth stays finite, because zero times infinity is no number.
        let growth = self.factor.max(1.0).powi(exponent).min(f64::MAX);
        let bounded = (self.base.as_secs_f64() * growth).min(self.max.as_secs_f64());
        let jitter = if jitter.is_nan() { 0.0 } else { jitter.clamp(0.0, 1.0) };
        Duration::try_from_secs_f64(bounded * (1.0 - 0.5 * jitter)).unwrap_or(self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECONDS: Backoff =
        Backoff { base: Duration::from_secs(1), factor: 2.0, max: Duration::from_secs(60) };

    #[test]
    fn waits_double_up_to_the_bound() {
        let waits: Vec<u64> = (0..8).map(|attempt| SECONDS.delay(attempt, 0.0).as_secs()).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
    }

    #[test]
    fn jitter_takes_away_up_to_half() {
        assert_eq!(SECONDS.delay(3, 1.0), Duration::from_secs(4));
        assert_eq!(SECONDS.delay(3, 0.5), Duration::from_secs(6));
    }

    #[test]
    fn a_base_of_zero_never_waits() {
        let never = Backoff { base: Duration::ZERO, ..SECONDS };
        assert_eq!(never.delay(u32::MAX, 0.0), Duration::ZERO);
    }

    proptest! {
        #[test]
        fn no_wait_is_over_the_bound(
            base in 0_u64..1_000_000,
            factor in proptest::num::f64::ANY,
            attempt in any::<u32>(),
            jitter in proptest::num::f64::ANY,
        ) {
            let max = Duration::from_secs(300);
            let wait = Backoff { base: Duration::from_millis(base), factor, max }.delay(attempt, jitter);
            prop_assert!(wait <= max);
            prop_assert!(wait >= Duration::from_millis(base).min(max) / 2);
        }
    }
}
