//! A request that got no answer.

use std::time::Duration;

use http::Method;

/// Inside [`kube::Error::Service`] when the API server gave no answer. With the cause in full, of which
/// the errors below would print one layer each.
#[derive(Debug, thiserror::Error)]
#[error("{method} {path} at {host}: {problem}")]
pub struct RequestFailure {
    /// The method.
    pub method: Method,
    /// The path, without its query.
    pub path: String,
    /// The server.
    pub host: String,
    /// What happened.
    pub problem: RequestProblem,
}

/// Why there was no answer.
#[derive(Debug, thiserror::Error)]
pub enum RequestProblem {
    /// It took too long. The request may have been carried out.
    #[error("no complete answer within {0:?}")]
    TimedOut(Duration),
    /// It was not sent: the lease is not ours any more, or its renewal is late.
    #[error("not sent, because the lease is not held at this moment")]
    Fenced,
    /// No connection, or one that broke. The request may have been carried out.
    #[error("{0}")]
    Broken(String),
}
