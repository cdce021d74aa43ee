//! The server: what its clients, its operator and its observers share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use kube::Client;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::clock::{Clock, virtual_clock};
use crate::gate::Gate;
use crate::history::{Observer, Subscription};
use crate::http::serve;
use crate::operator::Operator;
use crate::request_info::RequestInfo;
use crate::store::{Caller, Store};
use crate::verb::Verb;
use crate::verdict::Verdict;
use crate::watch::{Faults, WatchFault, Watches};
use crate::write::Write;

/// An API server in this process. Cheap to clone; all clones are the same server.
#[derive(Clone)]
pub struct SimKube {
    inner: Arc<Inner>,
}

struct Inner {
    store: Mutex<Store>,
    clock: Clock,
    started: Instant,
    gate: Mutex<Option<Arc<dyn Gate>>>,
    requests: AtomicU64,
    faults: Mutex<Faults>,
    observers: Mutex<Vec<Observer>>,
    changed: watch::Sender<()>,
}

impl Default for SimKube {
    fn default() -> Self {
        Self::new()
    }
}

impl SimKube {
    /// An empty server whose clock goes with tokio's, from a fixed date.
    #[must_use]
    pub fn new() -> Self {
        Self::build(virtual_clock())
    }

    /// An empty server with a clock of its own for what it writes on objects.
    #[must_use]
    pub fn with_clock(clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self::build(Arc::new(clock))
    }

    /// Makes UIDs differ from those of a server with another salt: for tests of two clusters.
    pub fn salt_uids(&self, salt: u32) {
        self.inner.store.lock().salt(salt);
    }

    fn build(clock: Clock) -> Self {
        let inner = Inner {
            store: Mutex::new(Store::new()),
            clock,
            started: Instant::now(),
            gate: Mutex::new(None),
            requests: AtomicU64::new(0),
            faults: Mutex::default(),
            observers: Mutex::default(),
            changed: watch::Sender::new(()),
        };
        Self { inner: Arc::new(inner) }
    }

    /// A client as `who`, whose default namespace is `namespace`. It belongs to the runtime it is made in.
    #[must_use]
    pub fn client(&self, who: &str, namespace: &str) -> Client {
        let (sim, who) = (self.clone(), who.to_owned());
        let service = tower::service_fn(move |request| serve(sim.clone(), who.clone(), request));
        Client::new(service, namespace)
    }

    /// Lets `gate` judge every request from now on.
    pub fn set_gate(&self, gate: Arc<dyn Gate>) {
        *self.inner.gate.lock() = Some(gate);
    }

    /// Lets every request pass from now on.
    pub fn remove_gate(&self) {
        *self.inner.gate.lock() = None;
    }

    /// Does something to the events of watches, running ones and those to come.
    pub fn watch_faults(&self, whose: Watches, fault: WatchFault) {
        let revision = self.revision();
        self.inner.faults.lock().add(whose, fault, revision);
        self.wake();
    }

    /// Ends all faults of watches. What they held back comes now; what they dropped stays dropped.
    pub fn heal_watches(&self) {
        self.inner.faults.lock().heal();
        self.wake();
    }

    /// Forgets the past: lists and watches that start there get 410 from now on. Running watches go on.
    pub fn compact(&self) {
        self.inner.store.lock().compact();
    }

    /// The hand of tests and simulated actors.
    #[must_use]
    pub fn operator(&self) -> Operator {
        Operator::new(self.clone())
    }

    /// All writes so far, oldest first.
    #[must_use]
    pub fn history(&self) -> Vec<Arc<Write>> {
        self.inner.store.lock().log().to_vec()
    }

    /// Follows the writes from now on.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        let seen = self.history().len();
        Subscription::new(self.clone(), seen, self.inner.changed.subscribe())
    }

    /// Calls `observer` after each write and before its answer, so that it sees every step. It may look at the server, but not write.
    pub fn observe(&self, observer: impl Fn(&Write) + Send + Sync + 'static) {
        self.inner.observers.lock().push(Arc::new(observer));
    }

    /// How many requests clients have sent.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.inner.requests.load(Ordering::Relaxed)
    }

    /// The resource version of the last write.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.inner.store.lock().revision()
    }

    /// The time on the server's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.inner.clock)()
    }

    pub(crate) fn next_number(&self) -> u64 {
        self.inner.requests.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn judge(&self, request: &RequestInfo) -> Verdict {
        let gate = self.inner.gate.lock().clone();
        gate.map_or(Verdict::Pass, |gate| gate.judge(request))
    }

    pub(crate) fn caller(&self, who: &str, request: Option<u64>, verb: Verb) -> Caller {
        Caller { who: who.to_owned(), request, verb, now: self.now(), since_start: self.since_start() }
    }

    pub(crate) fn read<T>(&self, look: impl FnOnce(&Store) -> T) -> T {
        look(&self.inner.store.lock())
    }

    /// Changes the store, then tells observers and watches.
    pub(crate) fn write<T>(&self, act: impl FnOnce(&mut Store) -> T) -> T {
        let (done, written) = {
            let mut store = self.inner.store.lock();
            let before = store.log().len();
            let done = act(&mut store);
            (done, store.log()[before..].to_vec())
        };
        if !written.is_empty() {
            self.inner.faults.lock().written(&written);
            let observers = self.inner.observers.lock().clone();
            for write in &written {
                observers.iter().for_each(|observer| observer(write));
            }
            self.wake();
        }
        done
    }

    pub(crate) fn with_faults<T>(&self, act: impl FnOnce(&mut Faults) -> T) -> T {
        act(&mut self.inner.faults.lock())
    }

    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.inner.changed.subscribe()
    }

    pub(crate) fn since_start(&self) -> Duration {
        self.inner.started.elapsed()
    }

    pub(crate) fn instant(&self, since_start: Duration) -> Instant {
        self.inner.started + since_start
    }

    fn wake(&self) {
        self.inner.changed.send_replace(());
    }
}
