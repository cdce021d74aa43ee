//! Which of the controllers run in this process.

use std::collections::BTreeSet;

use millwright_cluster::Workers;

use crate::Controller;

/// One controller or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Controllers(BTreeSet<Controller>);

impl Controllers {
    /// These controllers; `None` when there are none.
    #[must_use]
    pub fn new(chosen: BTreeSet<Controller>) -> Option<Self> {
        (!chosen.is_empty()).then_some(Self(chosen))
    }

    /// Whether it runs here.
    #[must_use]
    pub fn run(&self, controller: Controller) -> bool {
        self.0.contains(&controller)
    }

    /// Names of the leases without which they may not write. Those that were one Go process share its lease.
    #[must_use]
    pub fn leases(&self) -> BTreeSet<&'static str> {
        self.0.iter().map(|controller| controller.lease()).collect()
    }

    /// Workers for those that run here, and none for the others.
    pub(crate) fn bound(&self, workers: Workers) -> Workers {
        let Workers { machines, sets, deployments } = workers;
        let count = |controller, count| if self.run(controller) { count } else { 0 };
        Workers {
            machines: count(Controller::Machine, machines),
            sets: count(Controller::MachineSet, sets),
            deployments: count(Controller::MachineDeployment, deployments),
        }
    }
}
