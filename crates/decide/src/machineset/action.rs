//! What can be done for a machine set.

use std::collections::BTreeMap;

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
    /// Set or remove labels and annotations of the set itself.
    MarkSet(SetMarks),
    /// Write the set's status, which says for the first time that the set is frozen, and tell it.
    Freeze(Box<MachineSetStatus>),
    /// Write the set's status, which does not say any more that the set is frozen, and tell it.
    Unfreeze(Box<MachineSetStatus>),
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
            Self::MarkSet(_) => "MarkSet",
            Self::Freeze(_) => "FreezeSet",
            Self::Unfreeze(_) => "UnfreezeSet",
            Self::PatchStatus(_) => "PatchStatus",
        }
    }
}

/// Labels and annotations of a set to set or, with `None`, to remove.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetMarks {
    /// Labels.
    pub labels: BTreeMap<&'static str, Option<&'static str>>,
    /// Annotations.
    pub annotations: BTreeMap<&'static str, Option<&'static str>>,
}

impl SetMarks {
    pub(super) fn label(key: &'static str, value: Option<&'static str>) -> Self {
        Self { labels: [(key, value)].into(), ..Self::default() }
    }

    pub(super) fn and_annotation(mut self, key: &'static str, value: Option<&'static str>) -> Self {
        self.annotations.insert(key, value);
        self
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
