//! MachineSet: a number of machines of one template.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use serde::{Deserialize, Serialize};

use crate::object::MachineSetKind;
use crate::wire::{ApiVersion, is_zero, null_as_default, trimmed_meta};
use crate::{ClassReference, LastOperation, MachineSetCondition, MachineSummary, MachineTemplate};

/// One machine set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MachineSet {
    #[serde(skip_deserializing)]
    api_version: ApiVersion,
    #[serde(skip_deserializing)]
    kind: MachineSetKind,
    /// Object metadata, trimmed.
    #[serde(deserialize_with = "trimmed_meta")]
    pub metadata: ObjectMeta,
    /// What is wanted.
    #[serde(deserialize_with = "null_as_default")]
    pub spec: MachineSetSpec,
    /// What is.
    #[serde(deserialize_with = "null_as_default")]
    pub status: MachineSetStatus,
}

impl MachineSet {
    /// An object that has no status yet.
    #[must_use]
    pub fn new(metadata: ObjectMeta, spec: MachineSetSpec) -> Self {
        Self { metadata, spec, ..Self::default() }
    }
}

/// `spec` of a MachineSet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MachineSetSpec {
    /// Number of machines wanted; 0 when absent.
    #[serde(deserialize_with = "null_as_default")]
    pub replicas: i32,
    /// Which machines belong to the set; without one the set is left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
    /// Only read by an old metric; the class is in the template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine_class: Option<ClassReference>,
    /// The template of the machines.
    #[serde(deserialize_with = "null_as_default")]
    pub template: MachineTemplate,
    /// Stored and shown, without effect by default, as in Gardener's system.
    #[serde(skip_serializing_if = "is_zero", deserialize_with = "null_as_default")]
    pub min_ready_seconds: i32,
    /// How many failed machines may be preserved automatically.
    #[serde(skip_serializing_if = "is_zero", deserialize_with = "null_as_default")]
    pub auto_preserve_failed_machine_max: i32,
}

/// `status` of a MachineSet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MachineSetStatus {
    /// Machines of the set, terminating ones included.
    #[serde(deserialize_with = "null_as_default")]
    pub replicas: i32,
    /// Machines that carry all labels of the template.
    #[serde(deserialize_with = "null_as_default")]
    pub fully_labeled_replicas: i32,
    /// Machines in phase Running.
    #[serde(deserialize_with = "null_as_default")]
    pub ready_replicas: i32,
    /// Machines in phase Available or Running.
    #[serde(deserialize_with = "null_as_default")]
    pub available_replicas: i32,
    /// Failed machines that are preserved.
    #[serde(skip_serializing_if = "is_zero", deserialize_with = "null_as_default")]
    pub preserved_failed_replicas: i32,
    /// The generation this status speaks of.
    #[serde(deserialize_with = "null_as_default")]
    pub observed_generation: i64,
    /// Conditions, under the odd name that Gardener's API gives them.
    #[serde(
        rename = "machineSetCondition",
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "null_as_default"
    )]
    pub conditions: Vec<MachineSetCondition>,
    /// Only its time is ever set.
    #[serde(deserialize_with = "null_as_default")]
    pub last_operation: LastOperation,
    /// Machines whose last operation failed.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "null_as_default")]
    pub failed_machines: Vec<MachineSummary>,
    /// Machines preserved automatically.
    #[serde(skip_serializing_if = "is_zero", deserialize_with = "null_as_default")]
    pub auto_preserve_failed_machine_count: i32,
    /// The selector as text, for the scale subresource (additive to Gardener's API).
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
    pub selector: String,
}
