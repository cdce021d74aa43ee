//! MachineClass: what a cloud must be told to make one kind of machine.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::SecretReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

use crate::Quantity;
use crate::object::MachineClassKind;
use crate::wire::{ApiVersion, null_as_default, trimmed_meta};

/// A class of machines. It has no spec and no status: every field is at the top.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MachineClass {
    #[serde(skip_deserializing)]
    api_version: ApiVersion,
    #[serde(skip_deserializing)]
    kind: MachineClassKind,
    /// Object metadata, trimmed.
    #[serde(deserialize_with = "trimmed_meta")]
    pub metadata: ObjectMeta,
    /// What an autoscaler must know of a node that does not exist yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_template: Option<ClassNodeTemplate>,
    /// A second Secret with credentials; its keys win over those of `secret_ref`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credentials_secret_ref: Option<SecretReference>,
    /// Name of the provider, such as `AWS`; compared without case.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
    pub provider: String,
    /// The provider's own part, opaque here.
    pub provider_spec: serde_json::Value,
    /// The Secret with `userData` and, unless there is a second one, credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretReference>,
}

/// `nodeTemplate` of a MachineClass.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClassNodeTemplate {
    /// CPU architecture, such as `amd64`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub architecture: Option<String>,
    /// Resources of the node; an autoscaler needs cpu, gpu and memory.
    #[serde(deserialize_with = "null_as_default")]
    pub capacity: BTreeMap<String, Quantity>,
    /// Name of the size at the cloud.
    #[serde(deserialize_with = "null_as_default")]
    pub instance_type: String,
    /// Region label of the node.
    #[serde(deserialize_with = "null_as_default")]
    pub region: String,
    /// Extended resources that are written into the node's capacity.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "null_as_default")]
    pub virtual_capacity: BTreeMap<String, Quantity>,
    /// Zone label of the node.
    #[serde(deserialize_with = "null_as_default")]
    pub zone: String,
}
