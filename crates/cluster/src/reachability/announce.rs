//! Tells people that trust has changed: a line in the log, and for a freeze and its end an event on the Lease, which is
//! the one object that stands for the whole fleet.

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use millwright_decide::freeze::SightChange;

use crate::Fleet;
use crate::event_sorts::{FROZE, THAWED};

pub(super) fn announce(fleet: &Fleet, change: &SightChange) {
    match change {
        SightChange::Doubted => tracing::warn!(
            "an API server or a watch of machines or nodes fails; until it is clear which, no machine is judged"
        ),
        SightChange::Cleared { lasted } => {
            tracing::info!(?lasted, "the API servers answer, and the watches are well again");
        }
        SightChange::Froze { reason } => {
            tracing::error!(
                reason,
                "frozen: no machine is judged, made or deleted until both API servers answer and all was listed anew"
            );
            let message = format!("Frozen, no machine is judged, made or deleted: {reason}");
            tell(fleet, |lease| fleet.event(lease, &FROZE, message));
        }
        SightChange::Thawed { blind_for } => {
            tracing::warn!(?blind_for, "thawed: both API servers answer, and all was listed anew");
            let message = format!(
                "Thawed after {} s. No machine is judged by that time; each has its whole time-outs again",
                blind_for.as_secs()
            );
            tell(fleet, |lease| fleet.event(lease, &THAWED, message));
        }
    }
}

fn tell(fleet: &Fleet, say: impl FnOnce(&Lease)) {
    // Without an election there is no object to put it on.
    let Some(name) = fleet.parts.leaderships.iter().filter_map(|leadership| leadership.lease()).min() else {
        return;
    };
    let metadata = ObjectMeta {
        name: Some(name.to_owned()),
        namespace: Some(fleet.parts.namespace.clone()),
        ..ObjectMeta::default()
    };
    say(&Lease { metadata, ..Lease::default() });
}
