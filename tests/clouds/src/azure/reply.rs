//! An answer before it is written.

use http::StatusCode;
use serde_json::Value;

use super::ArmError;

/// Status, headers and body.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Option<Value>,
}

impl Reply {
    pub(super) fn json(status: StatusCode, body: Value) -> Self {
        Self { status, headers: Vec::new(), body: Some(body) }
    }

    pub(super) fn ok(body: Value) -> Self {
        Self::json(StatusCode::OK, body)
    }

    pub(super) fn empty(status: StatusCode) -> Self {
        Self { status, headers: Vec::new(), body: None }
    }

    pub(super) fn with(mut self, headers: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        self.headers.extend(headers);
        self
    }
}

impl From<ArmError> for Reply {
    fn from(error: ArmError) -> Self {
        Self::json(error.status, error.body())
    }
}
