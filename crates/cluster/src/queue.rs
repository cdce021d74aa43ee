//! The work queue of a controller: keys in, one worker at a time for each key.
//!
//! First in, first out. A key that is added again while it waits stays where it is; one that is added
//! while a worker has it comes back when that worker is done. It knows nothing about retries or back-off:
//! whoever wants a key later says [`WorkQueue::add_after`].

mod in_work;
mod metrics;
mod schedule;

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::{self, Debug};
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

pub use in_work::InWork;
pub use metrics::{QueueMetrics, QueueMetricsFamily};

use schedule::Schedule;

/// A queue of keys. Cheap to clone; all clones are the same queue.
pub struct WorkQueue<K> {
    shared: Arc<Shared<K>>,
}

struct Shared<K> {
    state: Mutex<State<K>>,
    /// One permit for each key that became ready, and one to hand on the clock.
    ready: Notify,
    /// Wakes the worker that watches the clock: an earlier key, or the end.
    clock: Notify,
    metrics: Option<QueueMetrics>,
}

struct State<K> {
    ready: VecDeque<K>,
    /// What is in `ready`, with the time it got there.
    ready_since: HashMap<K, Instant>,
    later: Schedule<K>,
    working: HashSet<K>,
    /// Added while in work.
    again: HashSet<K>,
    /// Of all idle workers one waits for the earliest key in `later`; the others sleep, so that a
    /// key that comes due wakes one worker and not all.
    clock: Clock,
    phase: Phase,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Clock {
    Watched,
    Unwatched,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Open,
    ShutDown,
}

enum Next<K> {
    Work(K),
    WatchClock(Option<Instant>),
    Sleep,
    End,
}

impl<K> Clone for WorkQueue<K> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone() }
    }
}

impl<K> Debug for WorkQueue<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkQueue").finish_non_exhaustive()
    }
}

impl<K: Clone + Eq + Hash + Debug + Send + 'static> Default for WorkQueue<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Clone + Eq + Hash + Debug + Send + 'static> WorkQueue<K> {
    /// An empty queue that counts nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::build(None)
    }

    /// An empty queue that is measured.
    #[must_use]
    pub fn with_metrics(metrics: QueueMetrics) -> Self {
        Self::build(Some(metrics))
    }

    fn build(metrics: Option<QueueMetrics>) -> Self {
        let state = State {
            ready: VecDeque::new(),
            ready_since: HashMap::new(),
            later: Schedule::default(),
            working: HashSet::new(),
            again: HashSet::new(),
            clock: Clock::Unwatched,
            phase: Phase::Open,
        };
        let shared = Shared { state: Mutex::new(state), ready: Notify::new(), clock: Notify::new(), metrics };
        Self { shared: Arc::new(shared) }
    }

    /// Makes a key ready now. A later time that was set for it is forgotten: the pass that comes now
    /// sees everything and decides anew when to come back.
    pub fn add(&self, key: K) {
        self.shared.add(&mut self.shared.state.lock(), key);
    }

    /// Makes a key ready after `delay`. When it is ready already, or will be earlier, nothing changes.
    pub fn add_after(&self, key: K, delay: Duration) {
        let mut state = self.shared.state.lock();
        if delay.is_zero() {
            self.shared.add(&mut state, key);
            return;
        }
        if state.phase == Phase::ShutDown
            || state.ready_since.contains_key(&key)
            || state.again.contains(&key)
        {
            return;
        }
        if let Some(metrics) = &self.shared.metrics {
            metrics.retries.inc();
        }
        if state.later.set_earlier(key, Instant::now() + delay) {
            match state.clock {
                Clock::Watched => self.shared.clock.notify_one(),
                Clock::Unwatched => self.shared.ready.notify_one(),
            }
        }
    }

    /// The next key; waits for one. `None` after [`Self::shutdown`]. May be dropped while it waits.
    pub async fn next(&self) -> Option<InWork<K>> {
        let shared = &self.shared;
        loop {
            let next = shared.pick();
            match next {
                Next::Work(key) => return Some(InWork::new(self.clone(), key)),
                Next::End => return None,
                Next::Sleep => shared.ready.notified().await,
                Next::WatchClock(due) => {
                    let watch = ClockWatch(shared);
                    tokio::select! {
                        () = shared.ready.notified() => {}
                        () = shared.clock.notified() => {}
                        () = until(due) => {}
                    }
                    watch.end();
                }
            }
        }
    }

    /// How many keys are ready and not yet in work.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.state.lock().ready.len()
    }

    /// No key is ready.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Ends the queue: nothing is handed out any more, what waits is forgotten, what is in work may end.
    pub fn shutdown(&self) {
        let mut state = self.shared.state.lock();
        state.phase = Phase::ShutDown;
        state.ready.clear();
        state.ready_since.clear();
        state.again.clear();
        state.later.clear();
        self.shared.depth(&state);
        drop(state);
        self.shared.ready.notify_waiters();
        // A worker between its look at the state and its wait finds these permits; each that leaves
        // passes one on (see `pick`).
        self.shared.ready.notify_one();
        self.shared.clock.notify_one();
    }

    fn finish(&self, key: &K, started: Instant) {
        let mut state = self.shared.state.lock();
        state.working.remove(key);
        if state.again.remove(key) {
            self.shared.make_ready(&mut state, key.clone());
        }
        drop(state);
        if let Some(metrics) = &self.shared.metrics {
            metrics.work_duration.observe(started.elapsed().as_secs_f64());
        }
    }
}

impl<K: Clone + Eq + Hash + Debug + Send + 'static> Shared<K> {
    fn add(&self, state: &mut State<K>, key: K) {
        if state.phase == Phase::ShutDown {
            return;
        }
        state.later.remove(&key);
        if state.ready_since.contains_key(&key) || state.again.contains(&key) {
            return;
        }
        if let Some(metrics) = &self.metrics {
            metrics.adds.inc();
        }
        if state.working.contains(&key) {
            state.again.insert(key);
        } else {
            self.make_ready(state, key);
        }
    }

    fn make_ready(&self, state: &mut State<K>, key: K) {
        state.ready_since.insert(key.clone(), Instant::now());
        state.ready.push_back(key);
        self.depth(state);
        self.ready.notify_one();
    }

    fn pick(&self) -> Next<K> {
        let mut state = self.state.lock();
        if state.phase == Phase::ShutDown {
            self.ready.notify_one();
            return Next::End;
        }
        let now = Instant::now();
        while let Some(key) = state.later.pop_due(now) {
            self.add(&mut state, key);
        }
        if let Some(key) = state.ready.pop_front() {
            if let (Some(since), Some(metrics)) = (state.ready_since.remove(&key), &self.metrics) {
                metrics.queue_duration.observe(since.elapsed().as_secs_f64());
            }
            state.working.insert(key.clone());
            self.depth(&state);
            // Notify keeps one permit at most, however many keys were added: pass it on.
            if !state.ready.is_empty() || (state.clock == Clock::Unwatched && !state.later.is_empty()) {
                self.ready.notify_one();
            }
            return Next::Work(key);
        }
        match state.clock {
            Clock::Watched => Next::Sleep,
            Clock::Unwatched => {
                state.clock = Clock::Watched;
                Next::WatchClock(state.later.next_due())
            }
        }
    }

    fn depth(&self, state: &State<K>) {
        if let Some(metrics) = &self.metrics {
            metrics.depth.set(i64::try_from(state.ready.len()).unwrap_or(i64::MAX));
        }
    }
}

/// The clock in a worker's hands. When `next` is dropped while it waits, another worker must take it up.
struct ClockWatch<'a, K>(&'a Shared<K>);

impl<K> ClockWatch<'_, K> {
    /// Gives the clock back without waking anybody: this worker looks at the queue itself.
    fn end(self) {
        self.0.state.lock().clock = Clock::Unwatched;
        std::mem::forget(self);
    }
}

impl<K> Drop for ClockWatch<'_, K> {
    fn drop(&mut self) {
        self.0.state.lock().clock = Clock::Unwatched;
        self.0.ready.notify_one();
    }
}

async fn until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
