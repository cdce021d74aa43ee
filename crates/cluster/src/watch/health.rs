//! Whether a watch can be trusted: asked by readiness, and by whoever must not act on an old picture.

use std::sync::Arc;
use std::time::Duration;

use kube::runtime::watcher::{Error, Event};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::{WatchMetrics, is_expired};
use crate::client::explain;

/// A watch that fails says so at least this often: it tries again after 10 s at most, and no request
/// takes longer than 30 s. A watch that resumed is silent until something happens, so silence means health.
const SILENCE: Duration = Duration::from_secs(45);

/// What is known about one watch. Cheap to clone; the watch writes it, all others read.
#[derive(Clone, Debug)]
pub struct WatchHealth {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    kind: &'static str,
    metrics: WatchMetrics,
    facts: Mutex<Facts>,
    relist: Notify,
}

#[derive(Debug, Default)]
struct Facts {
    listed: Option<Instant>,
    list: List,
    last_event: Option<Instant>,
    trouble: Option<Trouble>,
}

/// Whether the list that is under way, or the last one, counts.
#[derive(Debug, Default, PartialEq, Eq)]
enum List {
    #[default]
    Counts,
    /// It began before a new one was demanded.
    Void,
}

#[derive(Debug)]
struct Trouble {
    since: Instant,
    last: Instant,
    error: String,
}

/// How a watch is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchState {
    /// The first list is not done, or one that was demanded.
    Starting,
    /// It shows what is.
    Fresh,
    /// It may show what was.
    Failing {
        /// For how long.
        lasted: Duration,
        /// The latest error.
        error: String,
    },
}

impl WatchHealth {
    /// The health of a watch of `kind` that has not begun.
    #[must_use]
    pub fn new(kind: &'static str, metrics: &WatchMetrics) -> Self {
        let (facts, relist) = (Mutex::default(), Notify::new());
        let shared = Shared { kind, metrics: metrics.clone(), facts, relist };
        Self { shared: Arc::new(shared) }
    }

    /// The kind that is watched.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.shared.kind
    }

    /// How the watch is now.
    #[must_use]
    pub fn state(&self) -> WatchState {
        let facts = self.shared.facts.lock();
        match &facts.trouble {
            Some(trouble) if facts.listed.is_none() || trouble.last.elapsed() < SILENCE => {
                WatchState::Failing { lasted: trouble.since.elapsed(), error: trouble.error.clone() }
            }
            _ if facts.listed.is_none() => WatchState::Starting,
            _ => WatchState::Fresh,
        }
    }

    /// Lets the watch list anew at once. Until that list is done, nothing that was seen before counts.
    pub fn demand_relist(&self) {
        let mut facts = self.shared.facts.lock();
        facts.listed = None;
        facts.list = List::Void;
        drop(facts);
        self.shared.relist.notify_one();
    }

    /// Returns when a list was demanded, and takes the demand: the next list counts.
    pub(super) async fn relist_demanded(&self) {
        self.shared.relist.notified().await;
        self.shared.facts.lock().list = List::Counts;
    }

    /// When the watch last brought anything; `None` before its first event. A quiet kind brings nothing
    /// for long, so this alone does not mean that the watch fails.
    #[must_use]
    pub fn last_event(&self) -> Option<Instant> {
        self.shared.facts.lock().last_event
    }

    pub(super) fn succeeded<K>(&self, event: &Event<K>) {
        let mut facts = self.shared.facts.lock();
        match event {
            Event::Init => {
                // Only an intention: the list comes next and may fail.
                self.shared.metrics.relists.with_label_values(&[self.shared.kind]).inc();
                return;
            }
            Event::InitDone if facts.list == List::Void => return,
            Event::InitDone => facts.listed = Some(Instant::now()),
            Event::Apply(_) | Event::Delete(_) | Event::InitApply(_) => {}
        }
        facts.last_event = Some(Instant::now());
        if let Some(trouble) = facts.trouble.take() {
            drop(facts);
            let lasted = trouble.since.elapsed();
            tracing::info!(kind = self.shared.kind, ?lasted, "watch works again");
        }
    }

    pub(super) fn failed(&self, error: &Error) {
        self.shared.metrics.errors.with_label_values(&[self.shared.kind]).inc();
        if is_expired(error) {
            tracing::info!(kind = self.shared.kind, "watch is too far behind; listing anew");
            return;
        }
        self.note(match error {
            Error::InitialListFailed(error) => format!("can't list: {}", explain(error)),
            Error::WatchStartFailed(error) => format!("can't watch: {}", explain(error)),
            Error::WatchFailed(error) => format!("the watch broke off: {}", explain(error)),
            Error::WatchError(status) => format!("the API server ended the watch: {}", status.message),
            Error::NoResourceVersion => error.to_string(),
        });
    }

    pub(super) fn ended(&self) {
        self.note("the watch ended by itself; restart the process".to_owned());
    }

    fn note(&self, error: String) {
        let now = Instant::now();
        let mut facts = self.shared.facts.lock();
        let is_new = facts.trouble.as_ref().is_none_or(|trouble| trouble.error != error);
        let since = match &facts.trouble {
            Some(trouble) if trouble.last.elapsed() < SILENCE => trouble.since,
            _ => now,
        };
        facts.trouble = Some(Trouble { since, last: now, error: error.clone() });
        drop(facts);
        if is_new {
            tracing::warn!(kind = self.shared.kind, %error, "watch fails; trying again");
        }
    }
}
