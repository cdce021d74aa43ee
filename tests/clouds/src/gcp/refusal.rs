//! An error as the compute API writes it.

use serde_json::{Value, json};

/// A refused call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status.
    pub http: u16,
    /// The reason, such as `notFound`.
    pub reason: String,
    /// The text for people.
    pub message: String,
    /// The wait that a header asks for, in seconds.
    pub retry_after: Option<u64>,
}

impl Refusal {
    /// A refused call.
    #[must_use]
    pub fn new(http: u16, reason: &str, message: impl Into<String>) -> Self {
        Self { http, reason: reason.to_owned(), message: message.into(), retry_after: None }
    }

    pub(super) fn not_found(path: &str) -> Self {
        Self::new(404, "notFound", format!("The resource '{path}' was not found"))
    }

    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(400, "invalid", message)
    }

    pub(super) fn body(&self) -> Value {
        let Self { http, reason, message, .. } = self;
        json!({ "error": {
            "code": http, "message": message,
            "errors": [{ "message": message, "domain": "global", "reason": reason }]
        } })
    }
}
