//! What can be done for a machine deployment.

use std::collections::BTreeMap;

use millwright_api::{MachineDeploymentStatus, MachineSet, MachineTemplate};

/// One step for one machine deployment.
#[derive(Clone, Debug, PartialEq)]
pub enum DeploymentAction {
    /// Write the deployment's finalizers.
    SetFinalizers(Vec<String>),
    /// Write annotations of the deployment.
    Annotate(BTreeMap<String, String>),
    /// Create the set of the current template.
    CreateSet(Box<MachineSet>),
    /// Make the deployment the owner of a set that has none.
    AdoptSet {
        /// The set.
        name: String,
    },
    /// Scale or update a set.
    PatchSet(SetPatch),
    /// Delete a set.
    DeleteSet {
        /// The set.
        name: String,
        /// Its UID, so that a namesake survives.
        uid: String,
    },
    /// Write the deployment's status; only the difference is sent.
    PatchStatus(Box<MachineDeploymentStatus>),
    /// Tell the user that the selector selects everything.
    WarnSelectingAll,
    /// Tell the user that the strategy is not carried out by this version.
    WarnStrategy {
        /// The strategy's name.
        strategy: String,
    },
}

impl DeploymentAction {
    /// The action's name in logs and metrics.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::SetFinalizers(_) => "SetFinalizers",
            Self::Annotate(_) => "Annotate",
            Self::CreateSet(_) => "CreateSet",
            Self::AdoptSet { .. } => "AdoptSet",
            Self::PatchSet(_) => "PatchSet",
            Self::DeleteSet { .. } => "DeleteSet",
            Self::PatchStatus(_) => "PatchStatus",
            Self::WarnSelectingAll => "WarnSelectingAll",
            Self::WarnStrategy { .. } => "WarnStrategy",
        }
    }
}

/// Changes of a set. Absent means: leave it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetPatch {
    /// The set.
    pub name: String,
    /// Replicas before and after.
    pub replicas: Option<(i32, i32)>,
    /// Annotations to set.
    pub annotations: BTreeMap<String, String>,
    /// The template, when a part that rolls nothing changed.
    pub template: Option<Box<MachineTemplate>>,
    /// `spec.minReadySeconds`
    pub min_ready_seconds: Option<i32>,
    /// `spec.autoPreserveFailedMachineMax`
    pub auto_preserve_failed_machine_max: Option<i32>,
}

impl SetPatch {
    pub(super) fn of(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.replicas.is_none()
            && self.annotations.is_empty()
            && self.template.is_none()
            && self.min_ready_seconds.is_none()
            && self.auto_preserve_failed_machine_max.is_none()
    }
}
