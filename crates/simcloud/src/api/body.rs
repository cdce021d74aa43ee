//! Request bodies, with refusals in the cloud's own form.

use axum::body::Bytes;
use serde::de::DeserializeOwned;

use crate::refusal::Refusal;

/// Reads a JSON body.
pub(super) fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T, Refusal> {
    serde_json::from_slice(body).map_err(|error| Refusal::invalid(format!("request body: {error}")))
}
