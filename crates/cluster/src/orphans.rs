//! Collects VMs that no machine owns any more, and lets go of nodes that no machine stands behind, each on its own clock.
//!
//! All of it rests while anything of what is seen is in doubt, and nothing of it ends by an error: what could not be
//! done is told, and tried again with the next sweep.

mod claims;
mod collect;
mod live;
mod metrics;
mod nodes;
mod round;
mod settings;
mod sightings;
mod sweep;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub use metrics::OrphanMetrics;
pub use nodes::let_nodes_go;
pub use settings::{OrphanMode, OrphanSettings};

use crate::Fleet;
use crate::index::Kind;
use sightings::Sightings;
use sweep::Swept;

/// How often a sweep may come early: a list costs the cloud something.
const AT_MOST: Duration = Duration::from_secs(60);

/// How soon is looked again whether the fleet may be swept.
const LOOK: Duration = Duration::from_secs(1);

/// Sweeps until cancelled; the first sweep comes with the first full index.
pub async fn collect_orphans(fleet: Arc<Fleet>, settings: OrphanSettings, cancel: CancellationToken) {
    let sightings = Sightings::default();
    let mut next = Instant::now();
    loop {
        tokio::select! {
            () = cancel.cancelled() => return,
            () = tokio::time::sleep_until(next) => {}
            // Its wish is granted when the cloud has had its rest; one that comes meanwhile is the same wish.
            () = fleet.orphan_nudge.notified() => {
                next = next.min(Instant::now() + AT_MOST.min(settings.period));
                continue;
            }
        }
        let is_listed = fleet.with_index(|index| index.has_synced(&[Kind::Class, Kind::Machine]));
        if !is_listed || !fleet.sees_clearly() {
            next = Instant::now() + LOOK.min(settings.period);
            continue;
        }
        let swept = tokio::select! {
            () = cancel.cancelled() => return,
            swept = sweep::sweep(&fleet, settings, &sightings) => swept,
        };
        let pause = match swept {
            Swept::Whole => settings.period,
            Swept::Unfinished => settings.period.min(AT_MOST),
        };
        next = Instant::now() + pause;
    }
}

#[cfg(test)]
mod tests;
