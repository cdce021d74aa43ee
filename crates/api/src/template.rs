//! The template from which a set makes its machines.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

use crate::MachineSpec;
use crate::wire::{null_as_default, template_meta};

/// `spec.template` of MachineSet and MachineDeployment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MachineTemplate {
    /// Labels, annotations and finalizers of the machines.
    #[serde(deserialize_with = "template_meta")]
    pub metadata: ObjectMeta,
    /// Spec of the machines.
    #[serde(deserialize_with = "null_as_default")]
    pub spec: MachineSpec,
}
