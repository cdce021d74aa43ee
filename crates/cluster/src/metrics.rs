//! What a fleet counts of its own work.

use prometheus::{IntCounter, IntCounterVec, Opts, Registry};

/// Counters of one fleet.
#[derive(Clone, Debug)]
pub struct FleetMetrics {
    actions: IntCounterVec,
    orphans: IntCounter,
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
        let orphans = IntCounter::new(
            "millwright_orphans_deleted_total",
            "VMs that were deleted because no machine owned them.",
        )?;
        registry.register(Box::new(actions.clone()))?;
        registry.register(Box::new(orphans.clone()))?;
        Ok(Self { actions, orphans })
    }

    pub(crate) fn action(&self, name: &str) {
        self.actions.with_label_values(&[name]).inc();
    }

    pub(crate) fn orphan_deleted(&self) {
        self.orphans.inc();
    }
}
