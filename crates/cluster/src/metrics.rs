//! What a fleet counts of its own work.

mod machine_durations;

pub(crate) use machine_durations::{MachineDurations, MachineLabels, Milestone};

use prometheus::{IntCounterVec, IntGauge, Opts, Registry};

use crate::orphans::OrphanMetrics;

/// Counters of one fleet.
#[derive(Clone, Debug)]
pub struct FleetMetrics {
    actions: IntCounterVec,
    durations: MachineDurations,
    held_back: IntGauge,
    pub(crate) orphans: OrphanMetrics,
}

impl FleetMetrics {
    /// Registers the counters.
    ///
    /// # Errors
    /// When the registry has metrics of these names already.
    pub fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        let actions = IntCounterVec::new(
            Opts::new("millwright_actions_total", "Actions that were decided and started, by name."),
            &["action"],
        )?;
        let held_back = IntGauge::new(
            "millwright_meltdown_guard_blocked",
            "Unhealthy machines that are not replaced yet because too many others of their group are being made, replaced or deleted.",
        )?;
        registry.register(Box::new(actions.clone()))?;
        registry.register(Box::new(held_back.clone()))?;
        let durations = MachineDurations::register(registry)?;
        let orphans = OrphanMetrics::register(registry)?;
        Ok(Self { actions, durations, held_back, orphans })
    }

    pub(crate) fn durations(&self) -> &MachineDurations {
        &self.durations
    }

    /// Machines that wait for the meltdown guard.
    pub(crate) fn held_back(&self) -> &IntGauge {
        &self.held_back
    }

    pub(crate) fn action(&self, name: &str) {
        self.actions.with_label_values(&[name]).inc();
    }
}
