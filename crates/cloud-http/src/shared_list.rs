//! One list for all who wait for the same cloud: a list that began after they had asked answers every one of them.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Mutex;

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
        let slot = self.by_key.lock().await.entry(key).or_default().clone();
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
}
