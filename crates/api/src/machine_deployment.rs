//! MachineDeployment: machine sets that follow each other as the template changes.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use serde::{Deserialize, Serialize};

use crate::object::MachineDeploymentKind;
use crate::wire::{ApiVersion, is_false, is_zero, null_as_default, trimmed_meta};
use crate::{DeploymentCondition, IntOrPercent, MachineSummary, MachineTemplate};

/// One machine deployment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MachineDeployment {
    #[serde(skip_deserializing)]
    api_version: ApiVersion,
    #[serde(skip_deserializing)]
    kind: MachineDeploymentKind,
    /// Object metadata, trimmed.
    #[serde(deserialize_with = "trimmed_meta")]
    pub metadata: ObjectMeta,
    /// What is wanted.
    #[serde(deserialize_with = "null_as_default")]
    pub spec: MachineDeploymentSpec,
    /// What is.
    #[serde(deserialize_with = "null_as_default")]
    pub status: MachineDeploymentStatus,
}

impl MachineDeployment {
    /// An object that has no status yet.
    #[must_use]
    pub fn new(metadata: ObjectMeta, spec: MachineDeploymentSpec) -> Self {
        Self { metadata, spec, ..Self::default() }
    }
}

/// `spec` of a MachineDeployment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MachineDeploymentSpec {
    /// Number of machines wanted; 0 when absent.
    #[serde(deserialize_with = "null_as_default")]
    pub replicas: i32,
    /// Which machines belong to the deployment; without one it is left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
    /// The template of the machines.
    #[serde(deserialize_with = "null_as_default")]
    pub template: MachineTemplate,
    /// How a new template replaces the old one.
    #[serde(deserialize_with = "null_as_default")]
    pub strategy: Strategy,
    /// Stored and shown, without effect by default, as in Gardener's system.
    #[serde(skip_serializing_if = "is_zero", deserialize_with = "null_as_default")]
    pub min_ready_seconds: i32,
    /// Old sets to keep for a rollback; all when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision_history_limit: Option<i32>,
    /// No rollout while true; scaling still works.
    #[serde(skip_serializing_if = "is_false", deserialize_with = "null_as_default")]
    pub paused: bool,
    /// Asks for a rollback; removed when it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollback_to: Option<RollbackTo>,
    /// Seconds without progress after which the rollout counts as stuck; never when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress_deadline_seconds: Option<i32>,
    /// How many failed machines may be preserved automatically.
    #[serde(skip_serializing_if = "is_zero", deserialize_with = "null_as_default")]
    pub auto_preserve_failed_machine_max: i32,
}

/// `spec.strategy` of a MachineDeployment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Strategy {
    /// `RollingUpdate`, `Recreate` or `InPlaceUpdate`.
    #[serde(rename = "type", skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
    pub type_: String,
    /// Parameters of `RollingUpdate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rolling_update: Option<RollingUpdate>,
    /// Parameters of `InPlaceUpdate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_place_update: Option<InPlaceUpdate>,
}

/// `spec.strategy.rollingUpdate`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RollingUpdate {
    /// Machines above the replicas that may exist during a rollout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_surge: Option<IntOrPercent>,
    /// Machines below the replicas that may be missing during a rollout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_unavailable: Option<IntOrPercent>,
}

/// `spec.strategy.inPlaceUpdate`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InPlaceUpdate {
    /// Machines above the replicas that may exist during a rollout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_surge: Option<IntOrPercent>,
    /// Machines below the replicas that may be missing during a rollout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_unavailable: Option<IntOrPercent>,
    /// `Auto` or `Manual`: who chooses the next node.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
    pub orchestration_type: String,
}

/// `spec.rollbackTo`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RollbackTo {
    /// The revision to go back to; 0 is the previous one.
    #[serde(deserialize_with = "null_as_default")]
    pub revision: i64,
}

/// `status` of a MachineDeployment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MachineDeploymentStatus {
    /// The generation this status speaks of.
    #[serde(deserialize_with = "null_as_default")]
    pub observed_generation: i64,
    /// Machines of all sets, terminating ones included.
    #[serde(deserialize_with = "null_as_default")]
    pub replicas: i32,
    /// Machines of the newest set.
    #[serde(deserialize_with = "null_as_default")]
    pub updated_replicas: i32,
    /// Machines in phase Running.
    #[serde(deserialize_with = "null_as_default")]
    pub ready_replicas: i32,
    /// Machines in phase Available or Running.
    #[serde(deserialize_with = "null_as_default")]
    pub available_replicas: i32,
    /// Failed machines that are preserved.
    #[serde(skip_serializing_if = "is_zero", deserialize_with = "null_as_default")]
    pub preserved_failed_replicas: i32,
    /// Machines wanted and not available.
    #[serde(deserialize_with = "null_as_default")]
    pub unavailable_replicas: i32,
    /// Conditions; at rest exactly Available and Progressing.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "null_as_default")]
    pub conditions: Vec<DeploymentCondition>,
    /// Counts collisions of set names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collision_count: Option<i32>,
    /// Failed machines of all sets.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "null_as_default")]
    pub failed_machines: Vec<MachineSummary>,
    /// The selector as text, for the scale subresource (additive to Gardener's API).
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
    pub selector: String,
}
