//! Who has how many machines in work, who was promised places that do not show yet, and who waits for some. Deployments are
//! counted anew only when something of theirs has changed. Between a decision and the answer to its writes another worker
//! may ask for places: it must count what was promised. What follows from the counts is decided in `millwright_decide`.

use jiff::Timestamp;
use millwright_api::{IntOrPercent, MachineDeployment, MachineSet, ObjectView};
use millwright_decide::deployment::SetFacts;
use millwright_decide::fleet_bound::{FleetWork, InWork, PlaceUse};
use millwright_decide::{Member, Places, RolloutSettings};

use crate::index::Index;

/// The deployments of a fleet.
#[derive(Default)]
pub(crate) struct BoundDesk(FleetWork);

impl BoundDesk {
    /// Something happened to a deployment or what is its own.
    pub(crate) fn changed(&mut self, deployment: &str) {
        self.0.changed(deployment);
    }

    /// The places for a deployment.
    pub(crate) fn ask(
        &mut self,
        index: &Index,
        deployment: &MachineDeployment,
        settings: &RolloutSettings,
        now: Timestamp,
    ) -> Places {
        let Some(bound) = &settings.bounds.in_replacement else { return Places::Unbounded };
        // Its own machines may have become available by time alone.
        self.0.changed(deployment.name());
        self.count(index, settings, now);
        self.0.places(deployment.name(), Some(bound))
    }

    /// Notes what its plan makes of them.
    pub(crate) fn note(
        &mut self,
        deployment: &MachineDeployment,
        made: PlaceUse,
        bound: Option<&IntOrPercent>,
    ) {
        if bound.is_some() {
            self.0.note(deployment.name(), made);
        }
    }

    /// Its writes show, or did not happen.
    pub(crate) fn settle(&mut self, deployment: &MachineDeployment) {
        self.0.settle(deployment.name());
    }

    /// Names of those whose turn it may be now.
    pub(crate) fn take_woken(&mut self) -> Vec<String> {
        self.0.take_woken()
    }

    /// Every deployment's machines in work.
    pub(crate) fn in_work(
        &mut self,
        index: &Index,
        settings: &RolloutSettings,
        now: Timestamp,
    ) -> Vec<(String, i32)> {
        self.count(index, settings, now);
        self.0.in_work().map(|(name, count)| (name.to_owned(), count)).collect()
    }

    /// Brings the counts up to date.
    pub(crate) fn count(&mut self, index: &Index, settings: &RolloutSettings, now: Timestamp) {
        self.0.keep(|name| index.deployment(name).is_some());
        for deployment in index.deployments().filter(|deployment| !deployment.is_deleting()) {
            if self.0.is_fresh(deployment.name()) {
                continue;
            }
            let sets = index.sets_for_deployment(deployment.uid());
            let facts: Vec<_> = sets.map(|set| facts(index, set, settings, now)).collect();
            let wanted = deployment.spec.replicas.max(0);
            self.0.count(deployment.name(), wanted, InWork::of(deployment, &facts));
        }
        for deployment in index.deployments().filter(|deployment| deployment.is_deleting()) {
            self.0.count(deployment.name(), 0, InWork::default());
        }
    }
}

/// A set with its machines as they are now; its own status lags behind them.
pub(crate) fn facts<'a>(
    index: &'a Index,
    set: &'a MachineSet,
    settings: &RolloutSettings,
    now: Timestamp,
) -> SetFacts<'a> {
    let members = index.machines_of_set(set.uid());
    let members = members.map(|machine| Member { machine, node: index.node_of(machine).map(|node| &**node) });
    SetFacts::counted(set, members.collect(), settings, now)
}
