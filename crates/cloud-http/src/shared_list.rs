//! One list for all who wait for the same cloud: a list that began after they had asked answers every one of them.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

/// A list that nobody has asked for so long answers nobody any more; it is dropped when another one is asked for first.
const KEPT: Duration = Duration::from_secs(300);

/// Lists by what they are of. `V` is what one list shows.
#[derive(Debug)]
pub struct SharedList<K, V> {
    by_key: Mutex<HashMap<K, Slot<V>>>,
}

type Slot<V> = Arc<Mutex<Option<(Instant, Arc<V>)>>>;

impl<K, V> Default for SharedList<K, V> {
    fn default() -> Self {
        Self { by_key: Mutex::new(HashMap::new()) }
    }
}

impl<K: Eq + Hash, V> SharedList<K, V> {
    /// A list of `key` that began at `since` or later: the newest one if it did, else a new one. Who comes while one is under
    /// way waits for it; a failed list is tried again by the next of those who wait.
    ///
    /// # Errors
    /// What `list` failed with.
    pub async fn since<E, F>(
        &self,
        key: K,
        since: Instant,
        now: impl Fn() -> Instant,
        list: impl FnOnce() -> F,
    ) -> Result<Arc<V>, E>
    where
        F: Future<Output = Result<V, E>>,
    {
        let slot = self.slot(key, now()).await;
        let mut newest = slot.lock().await;
        if let Some((began, shown)) = &*newest
            && *began >= since
        {
            return Ok(shown.clone());
        }
        let began = now();
        let shown = Arc::new(list().await?);
        *newest = Some((began, shown.clone()));
        Ok(shown)
    }

    async fn slot(&self, key: K, now: Instant) -> Slot<V> {
        let mut by_key = self.by_key.lock().await;
        if let Some(known) = by_key.get(&key) {
            return known.clone();
        }
        by_key.retain(|_, slot| Arc::strong_count(slot) > 1 || is_fresh(slot, now));
        by_key.entry(key).or_default().clone()
    }
}

fn is_fresh<V>(slot: &Slot<V>, now: Instant) -> bool {
    let Ok(newest) = slot.try_lock() else { return true };
    newest.as_ref().is_some_and(|(began, _)| now.saturating_duration_since(*began) < KEPT)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::future::join_all;
    use tokio::time::sleep;

    use super::*;

    fn now() -> Instant {
        tokio::time::Instant::now().into_std()
    }

    async fn slow(lists: &AtomicUsize) -> Result<usize, String> {
        let number = lists.fetch_add(1, Ordering::Relaxed) + 1;
        sleep(Duration::from_secs(3)).await;
        Ok(number)
    }

    #[tokio::test(start_paused = true)]
    async fn all_who_wait_are_answered_by_one_list() {
        let (shared, lists) = (SharedList::default(), AtomicUsize::new(0));
        let began = now();
        let answers = join_all((0..50).map(|_| shared.since("key", began, now, || slow(&lists)))).await;
        assert!(answers.into_iter().all(|answer| *answer.unwrap() == 1));
        assert_eq!(lists.load(Ordering::Relaxed), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn who_asks_while_a_list_is_under_way_gets_the_next_one_and_they_share_it() {
        let (shared, lists) = (SharedList::default(), AtomicUsize::new(0));
        let early = shared.since("key", now(), now, || slow(&lists));
        let late = (0..20).map(|number| {
            let (shared, lists) = (&shared, &lists);
            async move {
                sleep(Duration::from_millis(100 * (number + 1))).await;
                shared.since("key", now(), now, || slow(lists)).await
            }
        });
        let (early, late) = tokio::join!(early, join_all(late));
        assert_eq!(*early.unwrap(), 1);
        assert!(late.into_iter().all(|answer| *answer.unwrap() == 2));
        assert_eq!(lists.load(Ordering::Relaxed), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_list_answers_only_the_one_who_made_it() {
        let (shared, lists) = (SharedList::default(), AtomicUsize::new(0));
        let began = now();
        let attempt = || async {
            let number = slow(&lists).await?;
            if number == 1 { Err("an outage".to_owned()) } else { Ok(number) }
        };
        let answers = join_all((0..5).map(|_| shared.since("key", began, now, attempt))).await;
        let (failed, good): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_err);
        assert_eq!((failed.len(), good.len()), (1, 4));
        assert_eq!(lists.load(Ordering::Relaxed), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_list_whose_maker_goes_away_is_made_by_the_next() {
        let (shared, lists) = (SharedList::default(), AtomicUsize::new(0));
        let began = now();
        let impatient =
            tokio::time::timeout(Duration::from_secs(1), shared.since("key", began, now, || slow(&lists)));
        let (gone, patient) = tokio::join!(impatient, shared.since("key", began, now, || slow(&lists)));
        assert!(gone.is_err());
        assert_eq!(*patient.unwrap(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn an_old_list_answers_nobody_who_asks_later() {
        let (shared, lists) = (SharedList::default(), AtomicUsize::new(0));
        assert_eq!(*shared.since("key", now(), now, || slow(&lists)).await.unwrap(), 1);
        assert_eq!(*shared.since("key", now(), now, || slow(&lists)).await.unwrap(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn lists_of_credentials_that_are_gone_are_dropped() {
        let (shared, lists) = (SharedList::default(), AtomicUsize::new(0));
        for credential in 0..100 {
            shared.since(credential, now(), now, || slow(&lists)).await.unwrap();
            sleep(Duration::from_secs(60)).await;
        }
        let kept = shared.by_key.lock().await.len();
        assert!(kept <= 6, "{kept}");
    }
}
