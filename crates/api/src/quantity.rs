//! Resource quantities, written as text or as a bare number.

use serde::{Deserialize, Deserializer, Serialize};

/// A quantity as it stands in the object, such as `4` or `16Gi`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Quantity(pub String);

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) => Self(text),
            serde_json::Value::Null => Self::default(),
            other => Self(other.to_string()),
        })
    }
}
