//! The short form in which sets and deployments list their failed machines.

use serde::{Deserialize, Serialize};

use crate::LastOperation;
use crate::wire::null_as_default;

/// An entry of `status.failedMachines`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MachineSummary {
    /// Name of the machine.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
    pub name: String,
    /// The cloud's id of its VM.
    #[serde(
        rename = "providerID",
        skip_serializing_if = "String::is_empty",
        deserialize_with = "null_as_default"
    )]
    pub provider_id: String,
    /// What failed; shown to users as it is.
    #[serde(deserialize_with = "null_as_default")]
    pub last_operation: LastOperation,
    /// Name of the set that owns it.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
    pub owner_ref: String,
}
