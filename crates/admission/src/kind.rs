//! The kinds that have rules.

/// One of the four kinds of `machine.sapcloud.io`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// What a cloud must be told.
    MachineClass,
    /// One VM and its node.
    Machine,
    /// A number of machines of one template.
    MachineSet,
    /// Sets that follow each other.
    MachineDeployment,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::MachineClass, Self::Machine, Self::MachineSet, Self::MachineDeployment];

    /// The kind of that name, if it has rules.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The name in the object.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MachineClass => "MachineClass",
            Self::Machine => "Machine",
            Self::MachineSet => "MachineSet",
            Self::MachineDeployment => "MachineDeployment",
        }
    }
}
