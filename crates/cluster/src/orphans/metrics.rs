//! What is counted about orphans.

use millwright_provider::{LeftoverKind, ListedKind};
use prometheus::{IntCounterVec, Opts, Registry};

/// Counters of all orphans of a process, by cloud and by what they are.
#[derive(Clone, Debug)]
pub struct OrphanMetrics {
    found: IntCounterVec,
    deleted: IntCounterVec,
    failed: IntCounterVec,
}

impl OrphanMetrics {
    /// Registers the counters.
    ///
    /// # Errors
    /// When the registry has counters of these names already.
    pub fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        let counter = |name: &str, help: &str| {
            let counter = IntCounterVec::new(Opts::new(name, help), &["provider", "kind"])?;
            registry.register(Box::new(counter.clone()))?;
            Ok::<_, prometheus::Error>(counter)
        };
        Ok(Self {
            found: counter(
                "millwright_orphans_found_total",
                "Things in a cloud that no machine owned, after a live look; each counts once.",
            )?,
            deleted: counter(
                "millwright_orphans_deleted_total",
                "Things in a cloud that were deleted because no machine owned them.",
            )?,
            failed: counter(
                "millwright_orphans_failed_total",
                "Failed deletions of things in a cloud that no machine owned.",
            )?,
        })
    }

    /// What was found, deleted and failed, of all clouds and kinds.
    #[cfg(test)]
    pub(super) fn counted(&self) -> [u64; 3] {
        use prometheus::core::Collector as _;
        [&self.found, &self.deleted, &self.failed].map(|counter| {
            let families = counter.collect();
            let rows = families.iter().flat_map(|family| family.get_metric());
            rows.map(|row| row.get_counter().get_value() as u64).sum()
        })
    }

    pub(super) fn found(&self, provider: &str, kind: ListedKind) {
        self.found.with_label_values(&[provider, label(kind)]).inc();
    }

    pub(super) fn deleted(&self, provider: &str, kind: ListedKind) {
        self.deleted.with_label_values(&[provider, label(kind)]).inc();
    }

    pub(super) fn failed(&self, provider: &str, kind: ListedKind) {
        self.failed.with_label_values(&[provider, label(kind)]).inc();
    }
}

const fn label(kind: ListedKind) -> &'static str {
    match kind {
        ListedKind::Vm => "vm",
        ListedKind::Leftover(LeftoverKind::Nic) => "nic",
        ListedKind::Leftover(LeftoverKind::Disk) => "disk",
        ListedKind::Leftover(LeftoverKind::Address) => "address",
    }
}
