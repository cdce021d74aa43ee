//! Machine: one VM and the node it becomes.

use k8s_openapi::api::core::v1::NodeAddress;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use serde::{Deserialize, Serialize};

use crate::object::MachineKind;
use crate::wire::{ApiVersion, is_false, null_as_default, time, trimmed_meta};
use crate::{ClassReference, GoDuration, LastOperation, MachinePhase, NodeCondition, NodeTemplate};

/// One machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Machine {
    #[serde(skip_deserializing)]
    api_version: ApiVersion,
    #[serde(skip_deserializing)]
    kind: MachineKind,
    /// Object metadata, trimmed.
    #[serde(deserialize_with = "trimmed_meta")]
    pub metadata: ObjectMeta,
    /// What is wanted.
    #[serde(deserialize_with = "null_as_default")]
    pub spec: MachineSpec,
    /// What is.
    #[serde(deserialize_with = "null_as_default")]
    pub status: MachineStatus,
}

impl Machine {
    /// A machine that has no status yet.
    #[must_use]
    pub fn new(metadata: ObjectMeta, spec: MachineSpec) -> Self {
        Self { metadata, spec, ..Self::default() }
    }
}

/// `spec` of a Machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MachineSpec {
    /// The class that says how to make the VM.
    #[serde(deserialize_with = "null_as_default")]
    pub class: ClassReference,
    /// The cloud's id of the VM; present means that a VM is assumed to exist.
    #[serde(
        rename = "providerID",
        skip_serializing_if = "String::is_empty",
        deserialize_with = "null_as_default"
    )]
    pub provider_id: String,
    /// What the Node shall carry.
    #[serde(skip_serializing_if = "is_default_node_template", deserialize_with = "null_as_default")]
    pub node_template: NodeTemplate,
    /// Overrides of the controller's flags for this machine.
    #[serde(flatten)]
    pub configuration: MachineConfiguration,
}

fn is_default_node_template(template: &NodeTemplate) -> bool {
    *template == NodeTemplate::default()
}

/// Per-machine overrides of flags; Gardener's API inlines them into the machine's spec.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MachineConfiguration {
    /// How long draining may take before it is forced; flag `--machine-drain-timeout`.
    #[serde(rename = "drainTimeout", skip_serializing_if = "Option::is_none")]
    pub drain_timeout: Option<GoDuration>,
    /// How long a node may be unhealthy before its machine fails; flag `--machine-health-timeout`.
    #[serde(rename = "healthTimeout", skip_serializing_if = "Option::is_none")]
    pub health_timeout: Option<GoDuration>,
    /// How long creating and joining may take; flag `--machine-creation-timeout`.
    #[serde(rename = "creationTimeout", skip_serializing_if = "Option::is_none")]
    pub creation_timeout: Option<GoDuration>,
    /// How long an in-place update may take; flag `--machine-inplace-update-timeout`.
    #[serde(rename = "inPlaceUpdateTimeout", skip_serializing_if = "Option::is_none")]
    pub in_place_update_timeout: Option<GoDuration>,
    /// How long a machine stays preserved; flag `--machine-preserve-timeout`.
    #[serde(rename = "machinePreserveTimeout", skip_serializing_if = "Option::is_none")]
    pub machine_preserve_timeout: Option<GoDuration>,
    /// Never fail this machine for its health.
    #[serde(rename = "disableHealthTimeout", skip_serializing_if = "Option::is_none")]
    pub disable_health_timeout: Option<bool>,
    /// Evictions tried for each pod before it is deleted; flag `--machine-max-evict-retries`.
    #[serde(rename = "maxEvictRetries", skip_serializing_if = "Option::is_none")]
    pub max_evict_retries: Option<i32>,
    /// Comma list of conditions that make a node unhealthy; flag `--node-conditions`.
    #[serde(rename = "nodeConditions", skip_serializing_if = "Option::is_none")]
    pub node_conditions: Option<String>,
}

/// `status` of a Machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MachineStatus {
    /// The VM's addresses; only filled when there is no target cluster.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "null_as_default")]
    pub addresses: Vec<NodeAddress>,
    /// A copy of the node's conditions.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "null_as_default")]
    pub conditions: Vec<NodeCondition>,
    /// Phase and its time.
    #[serde(deserialize_with = "null_as_default")]
    pub current_status: CurrentStatus,
    /// What was done last.
    #[serde(deserialize_with = "null_as_default")]
    pub last_operation: LastOperation,
    /// The provider's own memory of an operation that goes on.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
    pub last_known_state: String,
    /// What its deletion needs of the class that its VM was made with: a [`crate::ClassRecord`] as text (additive). In the
    /// status, because who may write a Machine need not be trusted with where its class's credentials are sent.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
    pub created_with_class: String,
    /// The node, for autoscalers of the cluster API (additive to Gardener's API).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_ref: Option<NodeReference>,
    /// The phase once more, where autoscalers of the cluster API look (additive).
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
    pub phase: String,
    /// Why the machine failed, for autoscalers of the cluster API (additive).
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
    pub failure_message: String,
    /// The generation this status speaks of (additive).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
}

/// `status.currentStatus` of a Machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CurrentStatus {
    /// The phase.
    #[serde(skip_serializing_if = "is_unset_phase")]
    pub phase: MachinePhase,
    /// A time-out runs in this phase.
    #[serde(skip_serializing_if = "is_false", deserialize_with = "null_as_default")]
    pub timeout_active: bool,
    /// When the phase was entered.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "time")]
    pub last_update_time: Option<Time>,
    /// Until when the machine is preserved.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "time")]
    pub preserve_expiry_time: Option<Time>,
}

fn is_unset_phase(phase: &MachinePhase) -> bool {
    *phase == MachinePhase::Empty
}

/// `status.nodeRef` of a Machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeReference {
    /// Always `v1`.
    #[serde(deserialize_with = "null_as_default")]
    pub api_version: String,
    /// Always `Node`.
    #[serde(deserialize_with = "null_as_default")]
    pub kind: String,
    /// Name of the node.
    #[serde(deserialize_with = "null_as_default")]
    pub name: String,
    /// UID of the node.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
    pub uid: String,
}
