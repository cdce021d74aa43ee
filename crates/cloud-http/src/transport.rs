//! How a request gets to the cloud, and the time by which its deadline is kept.
//!
//! A production provider has connections ([`crate::HttpClient`]). Whoever has the cloud in its own process, as tests under
//! paused time do, carries requests there by hand. What a request means and what an answer means stays with the cloud's own crate.

use std::error::Error;
use std::fmt::Debug;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use thiserror::Error;

/// A way to the cloud.
#[async_trait]
pub trait Transport: Debug + Send + Sync {
    /// The clock of this way.
    fn now(&self) -> Instant;

    /// Carries a request there and its whole answer back, within that time.
    async fn exchange(
        &self,
        request: http::Request<Vec<u8>>,
        within: Duration,
    ) -> Result<http::Response<Vec<u8>>, TransportError>;
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum TransportError {
    /// None came in time; the request may have had its effect.
    #[error("no answer in time")]
    TimedOut,
    /// No connection, or it broke.
    #[error("no connection: {0}")]
    Unreachable(#[source] Box<dyn Error + Send + Sync>),
}
