//! What a machine wants its Node object to carry.

use k8s_openapi::api::core::v1::NodeSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

use crate::wire::{node_spec, template_meta};

/// `spec.nodeTemplate` of a Machine: labels, annotations and taints for its Node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeTemplate {
    /// Labels and annotations are put on the Node; the rest is ignored.
    #[serde(deserialize_with = "template_meta")]
    pub metadata: ObjectMeta,
    /// Only `taints` is used.
    #[serde(deserialize_with = "node_spec")]
    pub spec: NodeSpec,
}
