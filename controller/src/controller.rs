//! The controllers by name.

/// One of the controllers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Controller {
    /// Makes machine sets of machine deployments.
    MachineDeployment,
    /// Makes machines of machine sets.
    MachineSet,
    /// Makes VMs and nodes of machines, and collects VMs that no machine owns.
    Machine,
}

impl Controller {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::MachineDeployment, Self::MachineSet, Self::Machine];

    /// Its name in `--controllers`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MachineDeployment => "machinedeployment",
            Self::MachineSet => "machineset",
            Self::Machine => "machine",
        }
    }

    /// The controller of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|controller| controller.name() == name)
    }

    /// The lease that its writer holds, whichever program that is.
    #[must_use]
    pub const fn lease(self) -> &'static str {
        match self {
            Self::MachineDeployment | Self::MachineSet => "machine-controller-manager",
            Self::Machine => "machine-controller",
        }
    }
}
