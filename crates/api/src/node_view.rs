//! The part of a Node that decisions read. Decoding skips the rest: a whole Node is ten times as large.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Taint;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

use crate::wire::{null_as_default, trimmed_meta};
use crate::{NodeCondition, Quantity};

/// A core/v1 Node, trimmed. Never sent back whole: nodes are only ever patched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeView {
    /// Object metadata, trimmed.
    #[serde(deserialize_with = "trimmed_meta")]
    pub metadata: ObjectMeta,
    /// What is wanted of it.
    #[serde(deserialize_with = "null_as_default")]
    pub spec: NodeViewSpec,
    /// What it reports.
    #[serde(deserialize_with = "null_as_default")]
    pub status: NodeViewStatus,
}

/// The spec's part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeViewSpec {
    /// The cloud's id of its VM.
    #[serde(rename = "providerID", deserialize_with = "null_as_default")]
    pub provider_id: String,
    /// Cordoned.
    #[serde(deserialize_with = "null_as_default")]
    pub unschedulable: bool,
    /// Its taints.
    #[serde(deserialize_with = "null_as_default")]
    pub taints: Vec<Taint>,
}

/// The status's part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeViewStatus {
    /// What the kubelet and others say of its health.
    #[serde(deserialize_with = "null_as_default")]
    pub conditions: Vec<NodeCondition>,
    /// Its resources.
    #[serde(deserialize_with = "null_as_default")]
    pub capacity: BTreeMap<String, Quantity>,
    /// Volumes that are attached to its VM.
    #[serde(deserialize_with = "null_as_default")]
    pub volumes_attached: Vec<AttachedVolume>,
}

/// An entry of `status.volumesAttached`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AttachedVolume {
    /// Name of the volume.
    #[serde(deserialize_with = "null_as_default")]
    pub name: String,
}
