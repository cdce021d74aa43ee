//! What fleets look like now, as metrics: read from their indexes when somebody scrapes, so that a series vanishes with
//! its object. Names and labels are those of machine-controller-manager.

mod deployments;
mod families;
mod machines;
mod rollouts;
mod sample_sheet;
mod sets;

use std::sync::{Arc, Weak};

use millwright_cluster::Fleet;
use parking_lot::Mutex;
use prometheus::Registry;
use prometheus::core::{Collector, Desc};
use prometheus::proto::MetricFamily;

use families::FROZEN;
use sample_sheet::SampleSheet;

/// Shows the state of all fleets of a process. Cheap to clone.
#[derive(Clone)]
pub(crate) struct StateMetrics {
    fleets: Arc<Mutex<Vec<Weak<Fleet>>>>,
    descriptions: Arc<[Desc]>,
}

impl StateMetrics {
    pub(crate) fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        let descriptions = families::ALL.iter().map(|family| family.describe()).collect::<Result<_, _>>()?;
        let metrics = Self { fleets: Arc::default(), descriptions };
        registry.register(Box::new(metrics.clone()))?;
        Ok(metrics)
    }

    /// Shows a fleet from now on, as long as it lives.
    pub(crate) fn show(&self, fleet: &Arc<Fleet>) {
        self.fleets.lock().push(Arc::downgrade(fleet));
    }

    fn living(&self) -> Vec<Arc<Fleet>> {
        let mut fleets = self.fleets.lock();
        fleets.retain(|fleet| fleet.strong_count() > 0);
        fleets.iter().filter_map(Weak::upgrade).collect()
    }
}

impl Collector for StateMetrics {
    fn desc(&self) -> Vec<&Desc> {
        self.descriptions.iter().collect()
    }

    fn collect(&self) -> Vec<MetricFamily> {
        let (mut machines, mut sets, mut deployments) = (Vec::new(), Vec::new(), Vec::new());
        let mut frozen = false;
        let mut sheet = SampleSheet::default();
        for fleet in self.living() {
            frozen |= fleet.trust().freeze.is_frozen();
            rollouts::add(&mut sheet, &fleet);
            // The index is held only while references are copied; a scrape must not hold up a worker.
            fleet.with_index(|index| {
                machines.extend(index.machines().cloned());
                sets.extend(index.sets().cloned());
                deployments.extend(index.deployments().cloned());
            });
        }
        sheet.add(&FROZEN, &[], f64::from(u8::from(frozen)));
        machines::add(&mut sheet, &machines);
        sets::add(&mut sheet, &sets);
        deployments::add(&mut sheet, &deployments);
        sheet.into_families()
    }
}

#[cfg(test)]
mod tests;
