//! Whether a fleet is served as it should be, for `/readyz`.
//!
//! A process that could lead and does not is ready: a Deployment of two would never come up otherwise. One that leads is
//! ready while it sees what is.

use std::sync::Arc;

use millwright_cluster::watch::{WatchHealth, WatchState};
use millwright_telemetry::{Gate, Health, Question};
use parking_lot::Mutex;

#[derive(Clone)]
pub(crate) struct FleetReadiness {
    start: Gate,
    watches: Arc<Mutex<Vec<WatchHealth>>>,
}

impl FleetReadiness {
    /// Not ready until it has started.
    pub(crate) fn added_to(health: &Health) -> Self {
        let readiness = Self {
            start: Gate::shut_until("waiting for the API servers and for the kinds of machine.sapcloud.io"),
            watches: Arc::default(),
        };
        health.add(Question::Ready, "start", readiness.start.clone());
        let watches = readiness.watches.clone();
        health.add(Question::Ready, "watches", move || judge(&watches.lock()));
        readiness
    }

    /// The clusters are as they must be.
    pub(crate) fn started(&self) {
        self.start.open();
    }

    /// From now on it must see what is.
    pub(crate) fn leads(&self, watches: &[WatchHealth]) {
        *self.watches.lock() = watches.to_vec();
    }

    /// It takes no more work.
    pub(crate) fn ends(&self) {
        self.start.shut("the process is ending");
    }
}

fn judge(watches: &[WatchHealth]) -> Result<(), String> {
    let sick: Vec<String> = watches
        .iter()
        .filter_map(|watch| match watch.state() {
            WatchState::Fresh => None,
            WatchState::Starting => Some(format!("{} are being listed", watch.kind())),
            WatchState::Failing { lasted, error } => {
                Some(format!("the watch of {} has failed for {} s: {error}", watch.kind(), lasted.as_secs()))
            }
        })
        .collect();
    if sick.is_empty() { Ok(()) } else { Err(sick.join("; ")) }
}
