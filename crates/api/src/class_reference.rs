//! The reference from a machine to its class.

use serde::{Deserialize, Serialize};

use crate::wire::null_as_default;

/// `spec.class` of a Machine. Looked up by name in the machine's own namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClassReference {
    /// API group; not used in the look-up, but part of template equality.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
    pub api_group: String,
    /// Must be `MachineClass`; not part of template equality.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
    pub kind: String,
    /// Name of the MachineClass.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "null_as_default")]
    pub name: String,
}
