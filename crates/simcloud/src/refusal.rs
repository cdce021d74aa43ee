//! Why a call was refused: the cloud's error codes, their HTTP form and a message.
//!
//! Nothing here knows about requests or connections; `api::answer` adds the request id.

use std::fmt;

use http::StatusCode;
use serde::{Deserialize, Serialize};

/// The cloud's error codes; on the wire in snake case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The request is wrong and will stay wrong (400).
    InvalidArgument,
    /// The token is missing or wrong (401).
    Unauthenticated,
    /// The token is known but may not do this (403).
    PermissionDenied,
    /// The account's limit for a zone and size is reached (403).
    QuotaExceeded,
    /// There is no such thing (404).
    NotFound,
    /// Something in the way: a reused client token, a NIC that is in use (409).
    Conflict,
    /// Another VM has the name, and the request wanted it for itself (409).
    NameTaken,
    /// The zone has no room for that size at the moment (409).
    OutOfCapacity,
    /// Too many calls; `Retry-After` says how long to wait (429).
    Throttled,
    /// The cloud's own fault (500).
    Internal,
    /// The cloud is not reachable at the moment (503).
    Unavailable,
    /// The cloud gave up waiting for itself (504).
    DeadlineExceeded,
}

impl Code {
    /// The HTTP status that carries this code.
    pub fn status(self) -> StatusCode {
        match self {
            Self::InvalidArgument => StatusCode::BAD_REQUEST,
            Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::PermissionDenied | Self::QuotaExceeded => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Conflict | Self::NameTaken | Self::OutOfCapacity => StatusCode::CONFLICT,
            Self::Throttled => StatusCode::TOO_MANY_REQUESTS,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
        }
    }
}

/// A refused call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What kind of refusal it is.
    pub code: Code,
    /// What is wrong, and what would be right.
    pub message: String,
    /// Seconds to wait before the next try, sent as `Retry-After`.
    pub retry_after: Option<u32>,
}

impl Refusal {
    /// A refusal without a time to wait.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retry_after: None }
    }

    /// A request that is wrong.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message)
    }

    /// A thing that does not exist.
    pub(crate) fn not_found(kind: &str, id: &str) -> Self {
        Self::new(Code::NotFound, format!("{kind} {id:?} does not exist"))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}
