//! A token bucket in which requests wait in line.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use super::RequestRate;

/// Lets `burst` requests through at once and one more every `1/qps` seconds. First come, first served;
/// who stops waiting takes no token.
pub(super) struct TokenBucket {
    /// When the bucket will be full again. Behind a fair lock that is held while waiting: the line.
    full_at: Mutex<Instant>,
    refill: Duration,
    capacity: Duration,
}

impl TokenBucket {
    /// `None` when nothing is limited; a rate that is no positive number limits nothing either.
    pub(super) fn new(rate: RequestRate) -> Option<Self> {
        let RequestRate::Limited { qps, burst } = rate else { return None };
        let refill = Duration::try_from_secs_f32(1.0 / qps).ok().filter(|refill| !refill.is_zero())?;
        let capacity = refill.saturating_mul(burst.max(1));
        Some(Self { full_at: Mutex::new(Instant::now()), refill, capacity })
    }

    pub(super) async fn take(&self) {
        let mut full_at = self.full_at.lock().await;
        let next = (*full_at).max(Instant::now()) + self.refill;
        tokio::time::sleep_until(next - self.capacity).await;
        *full_at = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn bucket(qps: f32, burst: u32) -> TokenBucket {
        TokenBucket::new(RequestRate::Limited { qps, burst }).expect("limited")
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_passes_at_once_and_the_rest_at_the_rate() {
        let bucket = bucket(0.5, 3);
        let start = Instant::now();
        let mut at = Vec::new();
        for _ in 0..6 {
            bucket.take().await;
            at.push(start.elapsed().as_secs());
        }
        assert_eq!(at, [0, 0, 0, 2, 4, 6]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_fills_the_bucket_up_to_the_burst_and_no_further() {
        let bucket = bucket(0.5, 2);
        tokio::time::sleep(Duration::from_secs(60)).await;
        let start = Instant::now();
        for _ in 0..3 {
            bucket.take().await;
        }
        assert_eq!(start.elapsed().as_secs(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn who_stops_waiting_takes_no_token() {
        let bucket = Arc::new(bucket(1.0, 1));
        bucket.take().await;
        let start = Instant::now();
        for _ in 0..100 {
            let impatient = tokio::time::timeout(Duration::from_millis(1), bucket.take());
            assert!(impatient.await.is_err());
        }
        bucket.take().await;
        assert_eq!(start.elapsed().as_secs(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_rate_that_is_no_positive_number_limits_nothing() {
        for qps in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert!(TokenBucket::new(RequestRate::Limited { qps, burst: 1 }).is_none(), "{qps}");
        }
        assert!(TokenBucket::new(RequestRate::Unlimited).is_none());
    }
}
