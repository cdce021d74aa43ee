//! Starts a fleet's watches and feeds them into its index.

use std::sync::Arc;
use std::time::Duration;

use kube::Api;
use kube::runtime::watcher;
use millwright_api::{NodeView, VolumeAttachmentView};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::Fleet;
use crate::index::Kind;
use crate::watch::{WatchHealth, WatchMetrics, watch};

/// The watches of a fleet: what was started, and how each is doing.
#[derive(Clone)]
pub struct Feed {
    /// Kinds that must have been listed before anything is decided.
    pub kinds: Vec<Kind>,
    watches: Vec<(Kind, WatchHealth)>,
}

/// Starts one watch for each kind; they end with `cancel`. `relist` is how often each lists anew even when all seems well:
/// flag `--watch-relist-period`.
pub fn feed(
    fleet: &Arc<Fleet>,
    relist: Duration,
    metrics: &WatchMetrics,
    tasks: &mut JoinSet<()>,
    cancel: &CancellationToken,
) -> Feed {
    let mut feed = Feed { kinds: Vec::new(), watches: Vec::new() };
    macro_rules! start {
        ($api:expr, $kind:expr, $name:literal, $event:ident) => {{
            let health = WatchHealth::new($name, metrics);
            feed.kinds.push($kind);
            feed.watches.push(($kind, health.clone()));
            let sink_fleet = fleet.clone();
            let sink = move |event| sink_fleet.update(|index| index.$event(event));
            tasks.spawn(watch($api, watcher::Config::default(), relist, health, sink, cancel.clone()));
        }};
    }
    start!(fleet.classes(), Kind::Class, "machineclasses", class_event);
    start!(fleet.sets(), Kind::Set, "machinesets", set_event);
    start!(fleet.deployments(), Kind::Deployment, "machinedeployments", deployment_event);
    start!(fleet.machines(), Kind::Machine, "machines", machine_event);
    start!(fleet.secrets(), Kind::Secret, "secrets", secret_event);
    // Nothing is decided from the absence of a Secret, so nobody has to wait for this list.
    feed.kinds.retain(|kind| *kind != Kind::Secret);
    if let Some(target) = &fleet.parts.target {
        start!(Api::<NodeView>::all(target.0.clone()), Kind::Node, "nodes", node_event);
        let attachments = Api::<VolumeAttachmentView>::all(target.0.clone());
        start!(attachments, Kind::VolumeAttachment, "volumeattachments", attachment_event);
    }
    feed
}

impl Feed {
    /// How each watch is doing.
    pub fn watches(&self) -> impl Iterator<Item = (Kind, &WatchHealth)> {
        self.watches.iter().map(|(kind, health)| (*kind, health))
    }

    /// How the watch of a kind is doing; `None` when it is not watched.
    #[must_use]
    pub fn health_of(&self, kind: Kind) -> Option<&WatchHealth> {
        self.watches.iter().find(|(watched, _)| *watched == kind).map(|(_, health)| health)
    }

    /// Waits until every kind was listed once: decisions before that would act on half a view.
    pub async fn synced(&self, fleet: &Fleet, cancel: &CancellationToken) {
        while !fleet.with_index(|index| index.has_synced(&self.kinds)) {
            tokio::select! {
                () = cancel.cancelled() => return,
                () = tokio::time::sleep(std::time::Duration::from_millis(20)) => {}
            }
        }
    }
}
