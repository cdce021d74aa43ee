//! An answer of a cloud, whatever it says.

use std::time::Duration;

use http::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;

/// Headers in which clouds name a request, the most telling first.
const REQUEST_IDS: &[&str] = &[
    "x-ms-request-id",
    "x-openstack-request-id",
    "x-compute-request-id",
    "x-request-id",
    "x-correlation-id",
];

/// Status, headers and body.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Vec<u8>,
    /// How long the cloud wants to be left alone.
    pub retry_after: Option<Duration>,
}

impl Answer {
    /// The body as JSON. An empty body is `null`.
    ///
    /// # Errors
    /// When it is something else.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        let body: &[u8] = if self.body.is_empty() { b"null" } else { &self.body };
        serde_json::from_slice(body)
    }

    /// A header's text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The cloud's name for the request, for its support.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        REQUEST_IDS.iter().find_map(|name| self.header(name))
    }
}
