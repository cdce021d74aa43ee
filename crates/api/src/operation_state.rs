//! States of an operation, `status.lastOperation.state`.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How far the last operation is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum OperationState {
    /// Not set.
    #[default]
    Empty,
    /// Going on, or to be tried again.
    Processing,
    /// Failed, and the description says why.
    Failed,
    /// Done.
    Successful,
    /// A text that this version does not know; kept as it is.
    Other(String),
}

impl OperationState {
    /// The text that stands in the object.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Empty => "",
            Self::Processing => "Processing",
            Self::Failed => "Failed",
            Self::Successful => "Successful",
            Self::Other(text) => text,
        }
    }
}

impl From<&str> for OperationState {
    fn from(text: &str) -> Self {
        match text {
            "" => Self::Empty,
            "Processing" => Self::Processing,
            "Failed" => Self::Failed,
            "Successful" => Self::Successful,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for OperationState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for OperationState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for OperationState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::<String>::deserialize(deserializer)?.as_deref().unwrap_or_default().into())
    }
}
