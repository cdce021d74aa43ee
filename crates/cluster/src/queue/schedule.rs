//! Keys that become ready later, each at one time.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};
use std::hash::Hash;

use tokio::time::Instant;

/// A heap by time. What was moved or removed stays in the heap and is skipped when it comes up.
pub(super) struct Schedule<K> {
    heap: BinaryHeap<Reverse<Entry<K>>>,
    due: HashMap<K, (Instant, u64)>,
    sequence: u64,
}

struct Entry<K> {
    at: Instant,
    /// Keeps the order of keys that are due at one time, and tells a live entry from a stale one.
    sequence: u64,
    key: K,
}

impl<K> Ord for Entry<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.sequence).cmp(&(other.at, other.sequence))
    }
}

impl<K> PartialOrd for Entry<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K> PartialEq for Entry<K> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<K> Eq for Entry<K> {}

impl<K> Default for Schedule<K> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), due: HashMap::new(), sequence: 0 }
    }
}

impl<K: Clone + Eq + Hash> Schedule<K> {
    /// Sets a time unless an earlier one is set; says whether this is now the earliest of all.
    pub(super) fn set_earlier(&mut self, key: K, at: Instant) -> bool {
        if self.due.get(&key).is_some_and(|(before, _)| *before <= at) {
            return false;
        }
        self.sequence += 1;
        self.due.insert(key.clone(), (at, self.sequence));
        self.heap.push(Reverse(Entry { at, sequence: self.sequence, key }));
        self.drop_stale();
        self.heap.peek().is_some_and(|Reverse(first)| first.sequence == self.sequence)
    }

    pub(super) fn remove(&mut self, key: &K) {
        if self.due.remove(key).is_some() {
            self.drop_stale();
        }
    }

    pub(super) fn pop_due(&mut self, now: Instant) -> Option<K> {
        self.drop_stale();
        if self.heap.peek()?.0.at > now {
            return None;
        }
        let Reverse(entry) = self.heap.pop()?;
        self.due.remove(&entry.key);
        Some(entry.key)
    }

    pub(super) fn next_due(&mut self) -> Option<Instant> {
        self.drop_stale();
        self.heap.peek().map(|Reverse(first)| first.at)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.due.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.heap.clear();
        self.due.clear();
    }

    /// Clears stale entries off the top, and out of the whole heap when they are the larger part of it:
    /// a key that is set far ahead and woken early over and over must not fill the memory.
    fn drop_stale(&mut self) {
        let Self { heap, due, .. } = self;
        let live = |entry: &Entry<K>| due.get(&entry.key).is_some_and(|(_, seq)| *seq == entry.sequence);
        while heap.peek().is_some_and(|Reverse(first)| !live(first)) {
            heap.pop();
        }
        if heap.len() > 64 && heap.len() > 2 * due.len() {
            heap.retain(|Reverse(entry)| live(entry));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn keys_come_due_by_time_and_then_by_order() {
        let (now, mut schedule) = (Instant::now(), Schedule::default());
        let at = |seconds| now + Duration::from_secs(seconds);
        assert!(schedule.set_earlier("b", at(2)));
        assert!(!schedule.set_earlier("c", at(2)));
        assert!(schedule.set_earlier("a", at(1)));
        assert_eq!(schedule.pop_due(now), None);
        let due: Vec<_> = std::iter::from_fn(|| schedule.pop_due(at(2))).collect();
        assert_eq!(due, ["a", "b", "c"]);
        assert!(schedule.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn rescheduling_one_key_for_ever_keeps_the_heap_small() {
        let (now, mut schedule) = (Instant::now(), Schedule::default());
        for seconds in 0..10_000 {
            schedule.set_earlier("near", now + Duration::from_secs(1));
            schedule.set_earlier("far", now + Duration::from_secs(1_000 + seconds));
            schedule.remove(&"far");
        }
        assert!(schedule.heap.len() <= 65, "{}", schedule.heap.len());
    }
}
