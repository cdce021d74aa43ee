//! Counts a set's machines, once for the set's own status and for its deployment's decisions.

use jiff::Timestamp;
use millwright_api::{Machine, MachinePhase, MachineSet, MachineSummary, ObjectView, OperationState};

use crate::RolloutSettings;
use crate::availability::Availability;

/// The machines of a set by what they are good for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// All, terminating ones included.
    pub(crate) machines: i32,
    /// In phase Running, not deleting.
    pub(crate) ready: i32,
    /// In phase Running or Available, not deleting, and for as long as the set's `spec.minReadySeconds` where that counts.
    pub(crate) available: i32,
    /// Failed and preserved.
    pub(crate) preserved_failed: i32,
    /// Not among those, and the last operation failed; by name.
    pub(crate) failed: Vec<MachineSummary>,
}

impl Tally {
    /// Counts the machines of a set.
    pub(crate) fn of<'a>(
        set: &MachineSet,
        machines: impl IntoIterator<Item = &'a Machine>,
        settings: &RolloutSettings,
        now: Timestamp,
    ) -> Self {
        let mut tally = Self::default();
        let min_ready = set.spec.min_ready_seconds;
        for machine in machines {
            let current = &machine.status.current_status;
            tally.machines = tally.machines.saturating_add(1);
            let is_ready = current.phase == MachinePhase::Running && !machine.is_deleting();
            let availability = Availability::of(machine, min_ready, settings.min_ready, now);
            tally.ready += i32::from(is_ready);
            tally.available += i32::from(availability == Availability::Available);
            if current.preserve_expiry_time.is_some() && current.phase == MachinePhase::Failed {
                tally.preserved_failed = tally.preserved_failed.saturating_add(1);
            } else if machine.status.last_operation.state == OperationState::Failed {
                tally.failed.push(MachineSummary {
                    name: machine.name().to_owned(),
                    provider_id: machine.spec.provider_id.clone(),
                    last_operation: machine.status.last_operation.clone(),
                    owner_ref: set.name().to_owned(),
                });
            }
        }
        tally.failed.sort_by(|a, b| a.name.cmp(&b.name));
        tally
    }
}
