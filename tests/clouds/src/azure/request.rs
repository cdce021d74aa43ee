//! A request after it was let in: who may ask was settled before, what is asked is settled after.

use std::{collections::BTreeMap, time::Instant};

use http::Method;
use serde_json::Value;

use super::ArmError;

/// What a handler needs to know.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) method: Method,
    /// Scheme and host by which the client found this server.
    pub(super) base: String,
    pub(super) path: String,
    pub(super) query: BTreeMap<String, String>,
    pub(super) if_match: Option<String>,
    pub(super) if_none_match: Option<String>,
    pub(super) body: Value,
    /// What the operation that this request begins will fail with.
    pub(super) doom: Option<ArmError>,
    pub(super) now: Instant,
}

impl Request {
    pub(super) fn api_version(&self) -> &str {
        self.query.get("api-version").map_or("", String::as_str)
    }
}
