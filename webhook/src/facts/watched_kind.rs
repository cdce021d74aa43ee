//! The kinds that are watched.

/// A kind that is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WatchedKind {
    /// MachineClass
    Class,
    /// MachineDeployment
    Deployment,
    /// MachineSet
    Set,
    /// Machine
    Machine,
    /// Secret, for the names of its keys.
    Secret,
}

impl WatchedKind {
    /// Every kind, in the order of [`Self::index`].
    pub(super) const ALL: [Self; 5] = [Self::Class, Self::Deployment, Self::Set, Self::Machine, Self::Secret];

    /// Its place in a list of all.
    pub(super) const fn index(self) -> usize {
        self as usize
    }

    /// The label of metrics and log lines: the resource's name, as in RBAC.
    pub(super) const fn resource(self) -> &'static str {
        match self {
            Self::Class => "machineclasses",
            Self::Deployment => "machinedeployments",
            Self::Set => "machinesets",
            Self::Machine => "machines",
            Self::Secret => "secrets",
        }
    }
}
