//! A key in a worker's hands.

use std::fmt::{self, Debug};
use std::hash::Hash;
use std::ops::Deref;

use tokio::time::Instant;

use super::WorkQueue;

/// While it lives, nobody else is handed its key. Dropping it gives the key back.
#[must_use = "dropping it at once lets another worker take the key"]
pub struct InWork<K: Clone + Eq + Hash + Debug + Send + 'static> {
    queue: WorkQueue<K>,
    key: K,
    started: Instant,
}

impl<K: Clone + Eq + Hash + Debug + Send + 'static> InWork<K> {
    pub(super) fn new(queue: WorkQueue<K>, key: K) -> Self {
        Self { queue, key, started: Instant::now() }
    }

    /// The key.
    pub fn key(&self) -> &K {
        &self.key
    }

    /// Says that the work has ended. The same as dropping it, but readable.
    pub fn done(self) {}
}

impl<K: Clone + Eq + Hash + Debug + Send + 'static> Deref for InWork<K> {
    type Target = K;

    fn deref(&self) -> &K {
        &self.key
    }
}

impl<K: Clone + Eq + Hash + Debug + Send + 'static> Debug for InWork<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InWork").field(&self.key).finish()
    }
}

impl<K: Clone + Eq + Hash + Debug + Send + 'static> Drop for InWork<K> {
    fn drop(&mut self) {
        self.queue.finish(&self.key, self.started);
    }
}
