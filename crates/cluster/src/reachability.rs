//! Finds out whether both API servers can be reached, for as long as the fleet is worked on, and tells the fleet's sight.
//!
//! What follows from it is decided by `millwright_decide::freeze`. Here nothing ends by an error: whatever a probe says
//! is an answer, and the next look comes a second later.

mod announce;
mod ask;
mod wake_all;

use std::sync::Arc;
use std::time::Duration;

use millwright_decide::freeze::{FreezeSettings, Observation, ProbeAnswer, Relist, SightChange, WatchSight};
use tokio_util::sync::CancellationToken;

pub use ask::ProbeClients;

use crate::Fleet;
use crate::feed::Feed;
use crate::index::Kind;
use crate::watch::WatchState;

/// Between two looks at the watches, which costs nothing.
const LOOK: Duration = Duration::from_secs(1);

/// Looks until cancelled. Start it when all is listed: before that, nothing is seen and nobody works.
pub async fn keep_watch(
    fleet: Arc<Fleet>,
    feed: Feed,
    clients: ProbeClients,
    settings: FreezeSettings,
    cancel: CancellationToken,
) {
    let mut probe = None;
    loop {
        if probe.is_none() && fleet.probe_is_due() {
            probe = Some(Box::pin(ask::ask(&fleet, &clients, settings.probe_limit())));
        }
        let answer = tokio::select! {
            biased;
            () = cancel.cancelled() => return,
            answer = async {
                match &mut probe {
                    Some(probe) => probe.as_mut().await,
                    None => std::future::pending::<ProbeAnswer>().await,
                }
            } => {
                probe = None;
                Some(answer)
            }
            () = tokio::time::sleep(LOOK) => None,
        };
        let step = fleet.look(&settings, &Observation { probe: answer, watches: sight_of(&feed) });
        relist(&feed, step.relist);
        if let Some(change) = step.change {
            announce::announce(&fleet, &change);
            if matches!(change, SightChange::Thawed { .. } | SightChange::Cleared { .. }) {
                wake_all::wake_all(&fleet);
            }
        }
    }
}

fn sight_of(feed: &Feed) -> WatchSight {
    let is_stale =
        |kind: Kind| feed.health_of(kind).is_some_and(|health| health.state() != WatchState::Fresh);
    if [Kind::Machine, Kind::Node].into_iter().any(is_stale) {
        WatchSight::Blind
    } else if feed.kinds.iter().copied().any(is_stale) {
        WatchSight::Partial
    } else {
        WatchSight::Fresh
    }
}

fn relist(feed: &Feed, wanted: Relist) {
    for (_, health) in feed.watches() {
        match wanted {
            Relist::Nothing => {}
            Relist::Failing if health.state() == WatchState::Fresh => {}
            Relist::Failing | Relist::Everything => health.demand_relist(),
        }
    }
}

#[cfg(test)]
mod tests;
