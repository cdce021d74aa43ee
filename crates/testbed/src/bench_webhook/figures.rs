//! Many times in a few numbers.

use std::time::Duration;

use serde::Serialize;

/// What requests took.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Latency {
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) per_second: f64,
}

impl Latency {
    /// Of all requests of a load that lasted for `lasted`.
    pub(super) fn of(mut micros: Vec<u32>, lasted: Duration) -> Self {
        micros.sort_unstable();
        #[expect(clippy::cast_precision_loss, reason = "counts of a bench are far below 2^53")]
        let per_second = micros.len() as f64 / lasted.as_secs_f64();
        Self { p50_ms: at(&micros, 50), p99_ms: at(&micros, 99), per_second }
    }
}

/// The time that so many of a hundred stay within, in milliseconds.
fn at(sorted: &[u32], percent: usize) -> f64 {
    let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(place).map_or(f64::NAN, |micros| f64::from(*micros) / 1000.0)
}

/// The one in the middle.
pub(super) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_were_measured() {
        let latency = Latency::of((1..=200).rev().map(|n| n * 1000).collect(), Duration::from_secs(2));
        assert_eq!(latency, Latency { p50_ms: 100.0, p99_ms: 198.0, per_second: 100.0 });
        assert_eq!(Latency::of(vec![7000], Duration::from_secs(1)).p99_ms, 7.0);
        assert_eq!(median(vec![Duration::from_secs(9), Duration::ZERO, Duration::from_secs(1)]).as_secs(), 1);
    }
}
