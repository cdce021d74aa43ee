//! Types of an operation, `status.lastOperation.type`.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What was done to a machine last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum OperationType {
    /// Not set.
    #[default]
    Empty,
    /// Creating the VM.
    Create,
    /// Known to the API and never written.
    Update,
    /// Updating the node in place.
    InPlaceUpdate,
    /// Draining the node.
    DrainNode,
    /// Judging the node's health.
    HealthCheck,
    /// Deleting the machine.
    Delete,
    /// A text that this version does not know; kept as it is.
    Other(String),
}

impl OperationType {
    /// The text that stands in the object.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Empty => "",
            Self::Create => "Create",
            Self::Update => "Update",
            Self::InPlaceUpdate => "InPlaceUpdate",
            Self::DrainNode => "DrainNode",
            Self::HealthCheck => "HealthCheck",
            Self::Delete => "Delete",
            Self::Other(text) => text,
        }
    }
}

impl From<&str> for OperationType {
    fn from(text: &str) -> Self {
        match text {
            "" => Self::Empty,
            "Create" => Self::Create,
            "Update" => Self::Update,
            "InPlaceUpdate" => Self::InPlaceUpdate,
            "DrainNode" => Self::DrainNode,
            "HealthCheck" => Self::HealthCheck,
            "Delete" => Self::Delete,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for OperationType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for OperationType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for OperationType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::<String>::deserialize(deserializer)?.as_deref().unwrap_or_default().into())
    }
}
