//! Whether a connection is worth its place: how many of its requests are being worked at, and since when none is.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::time::Instant;

/// What one connection does. Clones are about the same connection.
#[derive(Clone)]
pub(crate) struct Activity(Arc<Mutex<State>>);

struct State {
    under_way: usize,
    since: Instant,
}

/// A request that is being worked at, for as long as this lives.
pub(crate) struct UnderWay(Activity);

impl Activity {
    /// A connection that was just made.
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(State { under_way: 0, since: Instant::now() })))
    }

    /// Notes a request.
    pub(crate) fn begin(&self) -> UnderWay {
        self.0.lock().under_way += 1;
        UnderWay(self.clone())
    }

    /// Since when there is nothing to do; `None` while there is.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        let state = self.0.lock();
        (state.under_way == 0).then_some(state.since)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut state = self.0.0.lock();
        state.under_way -= 1;
        state.since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_connection_idles_from_the_end_of_its_last_request() {
        let activity = Activity::new();
        let begun = activity.idle_since().unwrap();
        let (one, other) = (activity.begin(), activity.begin());
        tokio::time::advance(Duration::from_secs(1)).await;
        drop(one);
        assert_eq!(activity.idle_since(), None);
        tokio::time::advance(Duration::from_secs(1)).await;
        drop(other);
        assert_eq!(activity.idle_since().unwrap() - begun, Duration::from_secs(2));
    }
}
