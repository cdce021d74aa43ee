//! Why a request to an API server did not succeed.

use std::io;

use http::StatusCode;
use serde::Deserialize;
use thiserror::Error;

#[derive(Debug, Error)]
pub(crate) enum KubeError {
    #[error("{0}")]
    Configuration(String),
    #[error("no connection to {address}: {source}")]
    Connect { address: String, source: io::Error },
    #[error("API server {0} does not speak HTTP/2")]
    NoHttp2(String),
    #[error("connection to the API server: {0}")]
    Broken(#[from] hyper::Error),
    #[error("{verb} {resource}: no answer within {seconds} s")]
    TimedOut { verb: &'static str, resource: &'static str, seconds: u64 },
    #[error("{verb} {resource}: {status} {message}")]
    Refused { verb: &'static str, resource: &'static str, status: StatusCode, message: String },
    #[error("{verb} {resource}: the answer is not what it should be: {reason}")]
    Unreadable { verb: &'static str, resource: &'static str, reason: String },
}

impl KubeError {
    /// The HTTP status, when the API server answered.
    pub(crate) fn status(&self) -> Option<StatusCode> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            Self::Configuration(_)
            | Self::Connect { .. }
            | Self::NoHttp2(_)
            | Self::Broken(_)
            | Self::TimedOut { .. }
            | Self::Unreadable { .. } => None,
        }
    }
}

/// The message in a `Status` object, or the beginning of whatever came instead.
pub(super) fn message(body: &[u8]) -> String {
    #[derive(Deserialize)]
    struct Status {
        message: String,
    }
    match serde_json::from_slice::<Status>(body) {
        Ok(status) => status.message,
        Err(_) => String::from_utf8_lossy(body).chars().take(200).collect(),
    }
}
