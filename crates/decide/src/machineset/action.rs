//! What can be done for a machine set.

use millwright_api::{ClassReference, Machine, MachineConfiguration, MachineSetStatus, NodeTemplate};

/// One step for one machine set. Creations and deletions are independent of each other, and are done in parallel.
#[derive(Clone, Debug, PartialEq)]
pub enum SetAction {
    /// Write the set's finalizers.
    SetFinalizers(Vec<String>),
    /// Make the set the owner of a machine that has none.
    AdoptMachine {
        /// The machine.
        name: String,
    },
    /// Stop owning a machine that the selector does not match any more.
    ReleaseMachine {
        /// The machine.
        name: String,
    },
    /// Create a machine.
    CreateMachine(Box<Machine>),
    /// Delete a machine.
    DeleteMachine {
        /// The machine.
        name: String,
        /// Its UID, so that a namesake survives.
        uid: String,
    },
    /// Bring parts of the template that roll nothing onto a machine.
    UpdateMachine(Box<TemplatePatch>),
    /// Set an annotation of a machine or, with `None`, remove it.
    AnnotateMachine {
        /// The machine.
        name: String,
        /// The annotation.
        key: &'static str,
        /// Its value.
        value: Option<&'static str>,
    },
    /// Write the set's status; only the difference is sent.
    PatchStatus(Box<MachineSetStatus>),
}

impl SetAction {
    /// The action's name in logs and metrics.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::SetFinalizers(_) => "SetFinalizers",
            Self::AdoptMachine { .. } => "AdoptMachine",
            Self::ReleaseMachine { .. } => "ReleaseMachine",
            Self::CreateMachine(_) => "CreateMachine",
            Self::DeleteMachine { .. } => "DeleteMachine",
            Self::UpdateMachine(_) => "UpdateMachine",
            Self::AnnotateMachine { .. } => "AnnotateMachine",
            Self::PatchStatus(_) => "PatchStatus",
        }
    }
}

/// The parts of a template that reach existing machines.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplatePatch {
    /// The machine.
    pub name: String,
    /// Its new node template.
    pub node_template: NodeTemplate,
    /// Its new overrides of flags.
    pub configuration: MachineConfiguration,
    /// Its class reference, of which only the kind may differ.
    pub class: ClassReference,
}
