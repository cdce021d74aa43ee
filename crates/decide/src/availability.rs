//! Whether a machine of a set counts as available, for the set's own status and for rollouts alike.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::keys::node_conditions::READY;
use millwright_api::{Machine, MachinePhase, ObjectView};

use crate::elapsed::elapsed;
use crate::{MinReady, Requeue};

/// What a machine is good for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Availability {
    /// It does its work.
    Available,
    /// It will count as available after that time if nothing happens to it.
    After(Duration),
    /// It is not there yet, sick or on its way out.
    Unavailable,
}

impl Availability {
    /// Judges a machine of a set whose `spec.minReadySeconds` that is.
    ///
    /// A machine is ready since its node last became so, which the copy of the node's conditions in the machine's status
    /// tells; one without such a condition (no target cluster) since its phase last changed.
    pub(crate) fn of(machine: &Machine, min_ready_seconds: i32, rule: MinReady, now: Timestamp) -> Self {
        let current = &machine.status.current_status;
        if machine.is_deleting() || !matches!(current.phase, MachinePhase::Running | MachinePhase::Available)
        {
            return Self::Unavailable;
        }
        let wanted = match rule {
            MinReady::Ignored => 0,
            MinReady::Enforced => u64::try_from(min_ready_seconds).unwrap_or(0),
        };
        if wanted == 0 {
            return Self::Available;
        }
        let ready = machine.status.conditions.iter().find(|condition| condition.type_ == READY);
        if ready.is_some_and(|ready| !ready.is_true()) {
            return Self::Unavailable;
        }
        let since = ready
            .and_then(|ready| ready.last_transition_time.as_ref())
            .or(current.last_update_time.as_ref())
            .map_or(now, |since| since.0);
        match Duration::from_secs(wanted).checked_sub(elapsed(since, now)) {
            Some(left) if !left.is_zero() => Self::After(left),
            _ => Self::Available,
        }
    }
}

/// When the first of these machines becomes available without anything happening to it.
pub(crate) fn next_available<'a>(
    machines: impl IntoIterator<Item = &'a Machine>,
    min_ready_seconds: i32,
    rule: MinReady,
    now: Timestamp,
) -> Requeue {
    machines
        .into_iter()
        .filter_map(|machine| match Availability::of(machine, min_ready_seconds, rule, now) {
            Availability::After(left) => Some(left),
            Availability::Available | Availability::Unavailable => None,
        })
        .min()
        .map_or(Requeue::OnChange, Requeue::After)
}
