//! Starts the watches.

use std::sync::Arc;
use std::time::Duration;

use kube::runtime::watcher;
use millwright_cluster::client::ControlClient;
use millwright_cluster::index::Index;
use millwright_cluster::watch::{WatchEvent, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{Watched, WatchedKind, trim};
use crate::SecretChecks;

/// How often everything is listed anew although all seems well: against an event that got lost without a trace.
const RELIST: Duration = Duration::from_secs(15 * 60);

/// Starts one watch for each kind; they end with `cancel`.
pub(super) fn feed(
    client: &ControlClient,
    watched: &Arc<Watched>,
    secrets: SecretChecks,
    tasks: &mut JoinSet<()>,
    cancel: &CancellationToken,
) {
    macro_rules! start {
        ($kind:expr, $sink:expr) => {{
            let api = watched.scope().api(client.0.clone());
            let (health, target) = (watched.health($kind).clone(), Arc::clone(watched));
            let sink = move |event| $sink(&target, event);
            tasks.spawn(watch(api, watcher::Config::default(), RELIST, health, sink, cancel.clone()));
        }};
    }
    start!(WatchedKind::Class, |watched: &Watched, event| {
        watched.event(WatchedKind::Class, event, Index::class_event);
    });
    start!(WatchedKind::Deployment, |watched: &Watched, event| {
        watched.event(WatchedKind::Deployment, trimmed(event, trim::deployment), Index::deployment_event);
    });
    start!(WatchedKind::Set, |watched: &Watched, event| {
        watched.event(WatchedKind::Set, trimmed(event, trim::set), Index::set_event);
    });
    start!(WatchedKind::Machine, |watched: &Watched, event| {
        watched.event(WatchedKind::Machine, trimmed(event, trim::machine), Index::machine_event);
    });
    if secrets == SecretChecks::On {
        start!(WatchedKind::Secret, |watched: &Watched, event| watched.secret_event(event));
    }
}

fn trimmed<K>(mut event: WatchEvent<K>, trim: fn(&mut K)) -> WatchEvent<K> {
    if let WatchEvent::Apply(object) | WatchEvent::RelistItem(object) | WatchEvent::Delete(object) =
        &mut event
    {
        trim(object);
    }
    event
}
