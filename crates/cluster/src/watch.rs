//! One watch of one kind in one cluster, for as long as the process lives.
//!
//! kube's watcher lists, watches, resumes and lists anew; here its errors become a log line, a counter and a
//! health report instead of items. What the events mean is up to the sink: this keeps no object.

mod health;
mod metrics;
mod retry;

use std::fmt::Debug;
use std::time::Duration;

use futures::StreamExt as _;
use kube::runtime::watcher;
use kube::runtime::watcher::{Error, Event};
use kube::{Api, Resource};
use serde::de::DeserializeOwned;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub use health::{WatchHealth, WatchState};
pub use metrics::WatchMetrics;

use retry::Retry;

/// Objects in one page of a list: small enough not to hold up the runtime while it is decoded, and not to be what the memory is
/// sized by.
const PAGE: u32 = 200;

/// What happened to a kind.
#[derive(Clone, Debug, PartialEq)]
pub enum WatchEvent<K> {
    /// The object is new or changed.
    Apply(K),
    /// The object is gone; this was its last state.
    Delete(K),
    /// All objects follow. May come again before the list is done, when that broke off.
    RelistStarted,
    /// One of all objects.
    RelistItem(K),
    /// These were all: what none of the items showed is gone.
    RelistDone,
}

/// Watches until `cancel`, whatever goes wrong, and hands every event to `sink`, which must not block. Lists anew after
/// `relist` even when all seems well: an event that a server lost without breaking the stream would else never be missed.
///
/// An error is logged when it is new, counted every time, and shown by `health`.
pub async fn watch<K>(
    api: Api<K>,
    config: watcher::Config,
    relist: Duration,
    health: WatchHealth,
    mut sink: impl FnMut(WatchEvent<K>) + Send,
    cancel: CancellationToken,
) where
    K: Resource + Clone + DeserializeOwned + Debug + Send + 'static,
{
    let start = || Box::pin(watcher(api.clone(), config.clone().page_size(PAGE)));
    let mut events = start();
    let mut relist_at = Instant::now() + relist;
    let mut retry = Retry::default();
    loop {
        let event = tokio::select! {
            biased;
            () = cancel.cancelled() => return,
            () = health.relist_demanded() => {
                events = start();
                continue;
            }
            () = tokio::time::sleep_until(relist_at) => {
                events = start();
                relist_at = Instant::now() + relist;
                continue;
            }
            event = events.next() => event,
        };
        match event {
            Some(Ok(event)) => {
                if matches!(event, Event::InitDone) {
                    relist_at = Instant::now() + relist;
                }
                // The beginning of a list is only an intention.
                if !matches!(event, Event::Init) {
                    retry.succeeded();
                }
                health.succeeded(&event);
                sink(event.into());
            }
            Some(Err(error)) => {
                health.failed(&error);
                let pause = if is_expired(&error) { Duration::ZERO } else { retry.failed() };
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => return,
                    () = health.relist_demanded() => events = start(),
                    () = tokio::time::sleep(pause) => {}
                }
            }
            // kube's watcher never ends; should it, readiness must show it rather than a loop that spins.
            None => {
                health.ended();
                return cancel.cancelled().await;
            }
        }
    }
}

/// The server has forgotten where the watch was: everyday life of one that slept, cured by listing anew.
fn is_expired(error: &Error) -> bool {
    matches!(error, Error::WatchError(status) if status.code == 410)
}

impl<K> From<Event<K>> for WatchEvent<K> {
    fn from(event: Event<K>) -> Self {
        match event {
            Event::Apply(object) => Self::Apply(object),
            Event::Delete(object) => Self::Delete(object),
            Event::Init => Self::RelistStarted,
            Event::InitApply(object) => Self::RelistItem(object),
            Event::InitDone => Self::RelistDone,
        }
    }
}

#[cfg(test)]
mod tests;
