//! Whether a fleet is served as it should be, for `/readyz`.
//!
//! A process that could lead and does not is ready: a Deployment of two would never come up otherwise. One that leads is
//! ready while it sees what is. One that is frozen because the target cluster can't be reached is ready too: it does what
//! it should, and another in its place would see no more.

use std::sync::{Arc, Weak};

use millwright_cluster::Fleet;
use millwright_cluster::feed::Feed;
use millwright_cluster::index::Kind;
use millwright_cluster::watch::WatchState;
use millwright_decide::Freeze;
use millwright_telemetry::{Gate, Health, Question};
use parking_lot::Mutex;

#[derive(Clone)]
pub(crate) struct FleetReadiness {
    start: Gate,
    led: Arc<Mutex<Option<Led>>>,
}

/// What is led from here.
struct Led {
    feed: Feed,
    fleet: Weak<Fleet>,
}

impl FleetReadiness {
    /// Not ready until it has started.
    pub(crate) fn added_to(health: &Health) -> Self {
        let readiness = Self {
            start: Gate::shut_until("waiting for the API servers and for the kinds of machine.sapcloud.io"),
            led: Arc::default(),
        };
        health.add(Question::Ready, "start", readiness.start.clone());
        let led = readiness.led.clone();
        health.add(Question::Ready, "watches", move || match &*led.lock() {
            Some(led) => judge(led),
            None => Ok(()),
        });
        readiness
    }

    /// The clusters are as they must be.
    pub(crate) fn started(&self) {
        self.start.open();
    }

    /// From now on it must see what is.
    pub(crate) fn leads(&self, feed: Feed, fleet: &Arc<Fleet>) {
        *self.led.lock() = Some(Led { feed, fleet: Arc::downgrade(fleet) });
    }

    /// It takes no more work.
    pub(crate) fn ends(&self) {
        self.start.shut("the process is ending");
    }
}

fn judge(led: &Led) -> Result<(), String> {
    let freeze = led.fleet.upgrade().map_or(Freeze::Thawed, |fleet| fleet.trust().freeze);
    let sick: Vec<String> = led
        .feed
        .watches()
        .filter_map(|(kind, watch)| complaint(kind, watch.kind(), watch.state(), freeze))
        .collect();
    if sick.is_empty() { Ok(()) } else { Err(sick.join("; ")) }
}

fn complaint(kind: Kind, name: &str, state: WatchState, freeze: Freeze) -> Option<String> {
    match state {
        WatchState::Fresh => None,
        // A frozen fleet knows what it can't see, and lists all anew before it thaws.
        WatchState::Starting if freeze.is_frozen() => None,
        WatchState::Failing { .. }
            if freeze.is_frozen() && matches!(kind, Kind::Node | Kind::VolumeAttachment) =>
        {
            None
        }
        WatchState::Starting => Some(format!("{name} are being listed")),
        WatchState::Failing { lasted, error } => {
            Some(format!("the watch of {name} has failed for {} s: {error}", lasted.as_secs()))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_freeze_because_of_the_target_cluster_leaves_it_ready_and_nothing_else_does() {
        let failing = || WatchState::Failing { lasted: Duration::from_secs(40), error: "reset".into() };
        for (kind, state, freeze, ready) in [
            (Kind::Node, WatchState::Fresh, Freeze::Thawed, true),
            (Kind::Node, failing(), Freeze::Thawed, false),
            (Kind::Node, failing(), Freeze::Frozen, true),
            (Kind::VolumeAttachment, failing(), Freeze::Frozen, true),
            (Kind::Machine, failing(), Freeze::Frozen, false),
            (Kind::Machine, WatchState::Starting, Freeze::Frozen, true),
            (Kind::Machine, WatchState::Starting, Freeze::Thawed, false),
        ] {
            let told = complaint(kind, "things", state.clone(), freeze);
            assert_eq!(told.is_none(), ready, "{kind:?} {state:?} {freeze:?}: {told:?}");
        }
    }
}
