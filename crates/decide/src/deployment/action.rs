//! What can be done for a machine deployment.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use millwright_api::{MachineDeploymentStatus, MachineSet, MachineTemplate};

use crate::machine::NodePatch;

/// One step for one machine deployment.
#[derive(Clone, Debug, PartialEq)]
pub enum DeploymentAction {
    /// Write the deployment's finalizers.
    SetFinalizers(Vec<String>),
    /// Write labels, annotations or the template of the deployment.
    PatchDeployment(DeploymentPatch),
    /// Create the set of the current template.
    CreateSet(Box<MachineSet>),
    /// Make the deployment the owner of a set that has none.
    AdoptSet {
        /// The set.
        name: String,
    },
    /// Stop owning a set that the selector does not match any more.
    ReleaseSet {
        /// The set.
        name: String,
    },
    /// Write labels or annotations of a machine.
    PatchMachine(MachineMarks),
    /// Give a machine to another set of the deployment: owner and labels in one write.
    MoveMachine(MachineMove),
    /// Write labels, annotations or taints of a machine's node.
    PatchNode {
        /// The machine.
        machine: String,
        /// What changes.
        patch: NodePatch,
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
    /// Tell the user that the strategy is not known, or can not be carried out here.
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
            Self::PatchDeployment(_) => "PatchDeployment",
            Self::ReleaseSet { .. } => "ReleaseSet",
            Self::PatchMachine(_) => "PatchMachine",
            Self::MoveMachine(_) => "MoveMachine",
            Self::PatchNode { .. } => "PatchNode",
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

/// Changes of a deployment itself. `None` as a value removes the key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeploymentPatch {
    /// Labels to set or remove.
    pub labels: BTreeMap<String, Option<String>>,
    /// Annotations to set or remove.
    pub annotations: BTreeMap<String, Option<String>>,
    /// `spec.template`, when a rollback brings an old one back.
    pub template: Option<Box<MachineTemplate>>,
    /// `spec.rollbackTo`
    pub rollback: RollbackRequest,
    /// Whether it was decided on what others may just have changed.
    pub lock: Lock,
}

/// What becomes of a request to go back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RollbackRequest {
    /// It stays, if there is one.
    #[default]
    Kept,
    /// It is dealt with, and removed.
    Done(RollbackOutcome),
}

/// How a request to go back ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RollbackOutcome {
    /// The template of that revision is the deployment's again.
    RolledBack {
        /// The revision.
        revision: i64,
    },
    /// No set has that revision.
    RevisionNotFound {
        /// The revision.
        revision: i64,
    },
    /// The previous revision was asked for, and there is none.
    NoEarlierRevision,
    /// That revision has the template that the deployment has anyway.
    TemplateUnchanged {
        /// The revision.
        revision: i64,
    },
}

/// Whether a write must lose against a change in between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lock {
    /// It holds whatever else changed.
    #[default]
    Open,
    /// It is sent with the resource version that it was decided on.
    Version,
}

impl DeploymentPatch {
    /// Sets one annotation.
    pub(super) fn annotate(key: &str, value: String) -> Self {
        Self { annotations: [(key.to_owned(), Some(value))].into(), ..Self::default() }
    }
}

/// Labels and annotations of a machine to set or, with `None`, to remove.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineMarks {
    /// The machine.
    pub name: String,
    /// Its UID, so that a namesake is left alone.
    pub uid: String,
    /// Labels.
    pub labels: BTreeMap<String, Option<String>>,
    /// Annotations.
    pub annotations: BTreeMap<String, Option<String>>,
}

/// A machine that goes from one set to another with all it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineMove {
    /// The machine.
    pub name: String,
    /// Its UID, so that a namesake is left alone.
    pub uid: String,
    /// UID of the set that it leaves.
    pub from: String,
    /// Name of the set that it goes to.
    pub to: String,
    /// Labels to set or, with `None`, to remove, so that the other set's selector matches.
    pub labels: BTreeMap<String, Option<String>>,
}

/// Changes of a set. Absent means: leave it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetPatch {
    /// The set.
    pub name: String,
    /// Replicas before and after.
    pub replicas: Option<(i32, i32)>,
    /// Labels to set or, with `None`, to remove.
    pub labels: BTreeMap<String, Option<String>>,
    /// Annotations to set.
    pub annotations: BTreeMap<String, String>,
    /// Annotations to remove.
    pub dropped_annotations: Vec<String>,
    /// `spec.selector`, whole.
    pub selector: Option<LabelSelector>,
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
            && self.labels.is_empty()
            && self.annotations.is_empty()
            && self.dropped_annotations.is_empty()
            && self.selector.is_none()
            && self.template.is_none()
            && self.min_ready_seconds.is_none()
            && self.auto_preserve_failed_machine_max.is_none()
    }
}
