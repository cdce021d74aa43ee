//! The bucket: when the next call may be made, and what pauses it.

use std::time::Duration;

use tokio::time::Instant;

use super::Rate;

/// The first pause after a refusal that does not say how long.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// No pause grows beyond this.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// A cloud that asks for more than this is asked again then: a wrong header must not keep VMs from being deleted for days.
const LONGEST_WISH: Duration = Duration::from_secs(3600);
/// After so long without a refusal the next one is the first again, also where nobody told of good answers.
const FORGIVEN_AFTER: Duration = Duration::from_secs(300);

/// A bucket as the time at which it is full again, so that no rounding lets one call too many through.
#[derive(Debug)]
pub(super) struct Bucket {
    interval: Duration,
    capacity: Duration,
    full_at: Instant,
    pause: Duration,
    paused_until: Instant,
}

impl Bucket {
    pub(super) fn new(rate: Rate, now: Instant) -> Self {
        let interval = rate.interval();
        let capacity = interval.saturating_mul(rate.burst.max(1));
        Self { interval, capacity, full_at: now, pause: Duration::ZERO, paused_until: now }
    }

    /// How long it takes until one more call may be made behind `ahead` others.
    pub(super) fn wait(&self, ahead: usize, now: Instant) -> Duration {
        let calls = u32::try_from(ahead).unwrap_or(u32::MAX).saturating_add(1);
        let needed = self.full_at.max(now) + self.interval.saturating_mul(calls);
        needed.saturating_duration_since(now + self.capacity)
    }

    /// Takes one call out. Only when the wait for it is over.
    pub(super) fn take(&mut self, now: Instant) {
        self.full_at = self.full_at.max(now) + self.interval;
    }

    /// No call until the pause is over; then one, and more at the rate.
    pub(super) fn pause(&mut self, wish: Option<Duration>, now: Instant) {
        let wish = wish.filter(|wish| !wish.is_zero());
        let pause = match wish {
            Some(wish) => wish.min(LONGEST_WISH),
            // Calls that were under way when the pause began are refused as well, and say nothing new.
            None if now < self.paused_until => return,
            None => {
                let first = now.saturating_duration_since(self.paused_until) >= FORGIVEN_AFTER;
                let grown = if first { FIRST_PAUSE } else { self.pause.saturating_mul(2) };
                self.pause = grown.clamp(FIRST_PAUSE, LONGEST_PAUSE);
                self.pause
            }
        };
        self.paused_until = self.paused_until.max(now + pause);
        let idle = self.capacity.saturating_sub(self.interval);
        self.full_at = self.full_at.max(self.paused_until + idle);
    }

    /// A call that was let through at that time had a good answer.
    pub(super) fn answered(&mut self, given: Instant) {
        if given >= self.paused_until {
            self.pause = Duration::ZERO;
        }
    }

    /// Whether a new bucket would be the same.
    pub(super) fn is_as_new(&self, now: Instant) -> bool {
        let forgiven = self.pause.is_zero() || now >= self.paused_until + FORGIVEN_AFTER;
        forgiven && self.full_at <= now
    }
}
