//! Places for connections. While none is free, those who have one and do nothing with it are asked to go: a
//! client that only holds connections open must not keep the API server out.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, sleep_until};

use crate::activity::Activity;

/// How long who has a place may do nothing while others wait.
const CROWDED: Duration = Duration::from_secs(1);

/// All the places there are.
pub(crate) struct Crowd {
    places: Arc<Semaphore>,
    full: watch::Sender<bool>,
}

/// One place.
pub(crate) struct Place {
    full: watch::Receiver<bool>,
    _held: Option<OwnedSemaphorePermit>,
}

impl Crowd {
    /// So many places.
    pub(crate) fn new(places: u32) -> Self {
        Self { places: Arc::new(Semaphore::new(places as usize)), full: watch::Sender::new(false) }
    }

    /// Waits for a place.
    pub(crate) async fn place(&self) -> Place {
        let places = Arc::clone(&self.places);
        let held = if let Ok(held) = Arc::clone(&places).try_acquire_owned() {
            self.full.send_if_modified(std::mem::take);
            Some(held)
        } else {
            self.full.send_if_modified(|full| !std::mem::replace(full, true));
            // It fails only for a semaphore that was closed, which this one never is.
            places.acquire_owned().await.ok()
        };
        Place { full: self.full.subscribe(), _held: held }
    }
}

impl Place {
    /// Waits until the connection has done nothing for `patience`, or for a moment while others wait.
    pub(crate) async fn outstayed(&mut self, activity: &Activity, patience: Duration) {
        loop {
            let patience = if *self.full.borrow_and_update() { patience.min(CROWDED) } else { patience };
            let due = activity.idle_since().unwrap_or_else(Instant::now) + patience;
            tokio::select! {
                () = sleep_until(due) => {}
                Ok(()) = self.full.changed() => continue,
            }
            if activity.idle_since().is_some_and(|since| since + patience <= Instant::now()) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    #[tokio::test(start_paused = true)]
    async fn who_does_nothing_outstays_after_its_patience_and_soon_while_others_wait() {
        let crowd = Crowd::new(1);
        let mut place = crowd.place().await;
        let begun = Instant::now();
        place.outstayed(&Activity::new(), PATIENCE).await;
        assert_eq!(begun.elapsed(), PATIENCE);

        let begun = Instant::now();
        let first = async {
            place.outstayed(&Activity::new(), PATIENCE).await;
            drop(place);
        };
        let (_next, ()) = tokio::join!(crowd.place(), first);
        assert!((CROWDED..PATIENCE).contains(&begun.elapsed()), "{:?}", begun.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn who_works_never_outstays() {
        let crowd = Crowd::new(1);
        let mut place = crowd.place().await;
        let activity = Activity::new();
        let under_way = activity.begin();
        let waited = tokio::time::timeout(10 * PATIENCE, place.outstayed(&activity, PATIENCE)).await;
        assert!(waited.is_err());
        drop(under_way);
        place.outstayed(&activity, PATIENCE).await;
    }
}
