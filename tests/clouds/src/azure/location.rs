//! Where something new is to be.

use serde_json::Value;

use super::{ArmError, body::text};

/// The location that a body names.
pub(super) fn named(body: &Value) -> Result<&str, ArmError> {
    text(body, "/location").ok_or_else(|| {
        ArmError::bad("LocationRequired", "The location property is required for this definition.")
    })
}
