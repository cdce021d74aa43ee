//! The objects that are watched, by namespace, and whether what is known of a kind can be relied on.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use millwright_api::ObjectView;
use millwright_cluster::index::{Index, Wake};
use millwright_cluster::watch::{WatchEvent, WatchHealth, WatchMetrics, WatchState};
use parking_lot::RwLock;

use super::secret_keys::SecretKeys;
use super::secret_shelf::SecretShelf;
use super::{Scope, WatchedKind};

/// How long a watch may fail before what it has shown counts as unknown. Shorter failures are an API server's restart.
const STALE: Duration = Duration::from_secs(60);

/// What is watched. Written by the watches, read by requests; no lock is held across an await.
pub(super) struct Watched {
    scope: Scope,
    indexes: RwLock<HashMap<String, Index>>,
    secrets: RwLock<SecretShelf>,
    kinds: [KindState; WatchedKind::ALL.len()],
}

struct KindState {
    health: WatchHealth,
    listed: AtomicBool,
}

impl Watched {
    /// Nothing is known yet.
    pub(super) fn new(scope: Scope, metrics: &WatchMetrics) -> Self {
        let kinds = WatchedKind::ALL.map(|kind| KindState {
            health: WatchHealth::new(kind.resource(), metrics),
            listed: AtomicBool::new(false),
        });
        Self { scope, indexes: RwLock::default(), secrets: RwLock::default(), kinds }
    }

    pub(super) fn scope(&self) -> &Scope {
        &self.scope
    }

    pub(super) fn health(&self, kind: WatchedKind) -> &WatchHealth {
        &self.kinds[kind.index()].health
    }

    /// Whether what is known of a kind is all of it, and not from long ago.
    pub(super) fn knows(&self, kind: WatchedKind) -> bool {
        let state = &self.kinds[kind.index()];
        state.listed.load(Ordering::Acquire)
            && !matches!(state.health.state(), WatchState::Failing { lasted, .. } if lasted > STALE)
    }

    /// Looks into a namespace; an empty one where nothing was ever seen.
    pub(super) fn look<R>(&self, namespace: &str, read: impl FnOnce(&Index) -> R) -> R {
        match self.indexes.read().get(namespace) {
            Some(index) => read(index),
            None => read(&Index::default()),
        }
    }

    /// Keys of a Secret that have a value.
    pub(super) fn secret(&self, namespace: &str, name: &str) -> Option<Arc<BTreeSet<String>>> {
        self.secrets.read().get(namespace, name)
    }

    /// How many objects of a kind are kept.
    pub(super) fn count(&self, kind: WatchedKind) -> usize {
        let count: fn(&Index) -> usize = match kind {
            WatchedKind::Class => |index| index.classes().count(),
            WatchedKind::Deployment => |index| index.deployments().count(),
            WatchedKind::Set => |index| index.sets().count(),
            WatchedKind::Machine => |index| index.machines().count(),
            WatchedKind::Secret => return self.secrets.read().count(),
        };
        self.indexes.read().values().map(count).sum()
    }

    /// Takes an event of a kind's watch into the index of its namespace; lists concern all of them.
    pub(super) fn event<K: ObjectView>(
        &self,
        kind: WatchedKind,
        event: WatchEvent<K>,
        take: fn(&mut Index, WatchEvent<K>) -> Wake,
    ) {
        let is_whole = matches!(event, WatchEvent::RelistDone);
        let mut indexes = self.indexes.write();
        match event {
            WatchEvent::Apply(ref object) | WatchEvent::RelistItem(ref object) => {
                let namespace = object.namespace().to_owned();
                take(indexes.entry(namespace).or_default(), event);
            }
            WatchEvent::Delete(ref object) => {
                if let Some(index) = indexes.get_mut(object.namespace()) {
                    take(index, event);
                }
            }
            WatchEvent::RelistStarted => {
                indexes.values_mut().for_each(|index| drop(take(index, WatchEvent::RelistStarted)));
            }
            WatchEvent::RelistDone => {
                indexes.values_mut().for_each(|index| drop(take(index, WatchEvent::RelistDone)));
                indexes.retain(|_, index| !is_empty(index));
            }
        }
        drop(indexes);
        if is_whole {
            self.listed(kind);
        }
    }

    /// Takes an event of the Secrets' watch.
    pub(super) fn secret_event(&self, event: WatchEvent<SecretKeys>) {
        let is_whole = matches!(event, WatchEvent::RelistDone);
        self.secrets.write().event(event);
        if is_whole {
            self.listed(WatchedKind::Secret);
        }
    }

    fn listed(&self, kind: WatchedKind) {
        if !self.kinds[kind.index()].listed.swap(true, Ordering::AcqRel) {
            tracing::info!(kind = kind.resource(), objects = self.count(kind), "known from now on");
        }
    }
}

fn is_empty(index: &Index) -> bool {
    index.classes().next().is_none()
        && index.deployments().next().is_none()
        && index.sets().next().is_none()
        && index.machines().next().is_none()
}
