//! A refusal in the form of Resource Manager.

use http::StatusCode;
use serde_json::{Value, json};

/// What is wrong, with its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArmError {
    /// The HTTP status.
    pub status: StatusCode,
    /// The code by which programs know it.
    pub code: String,
    /// What people read.
    pub message: String,
}

impl ArmError {
    /// A refusal.
    #[must_use]
    pub fn new(status: StatusCode, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { status, code: code.into(), message: message.into() }
    }

    pub(super) fn bad(code: &str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    pub(super) fn conflict(code: &str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, message)
    }

    pub(super) fn missing(code: &str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, message)
    }

    /// A parameter that a validation of Compute refuses.
    pub(super) fn parameter(target: &str, message: impl Into<String>) -> Self {
        Self::bad("InvalidParameter", format!("{} (target {target})", message.into()))
    }

    pub(super) fn body(&self) -> Value {
        json!({ "error": { "code": self.code, "message": self.message } })
    }
}
