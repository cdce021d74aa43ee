//! The HTTP client that all calls share: connections, nothing else.
//!
//! It holds no token and no endpoint, so that a rotated credential counts from the next call on.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use thiserror::Error;

use crate::transport::{Transport, TransportError};

/// No HTTP client can be made.
#[derive(Debug, Error)]
#[error("no HTTP client can be made: {0}")]
pub struct NoHttpClient(#[from] reqwest::Error);

/// Connections to clouds.
#[derive(Debug)]
pub struct HttpClient(reqwest::Client);

impl HttpClient {
    /// Connections with the roots of trust of this build. The process must have installed its TLS provider before.
    ///
    /// # Errors
    /// When TLS can not be set up.
    pub fn new() -> Result<Self, NoHttpClient> {
        let client = reqwest::Client::builder()
            .user_agent(concat!("millwright/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(Duration::from_secs(5))
            .pool_idle_timeout(Duration::from_secs(30))
            // A redirect could carry the token to somebody else.
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        Ok(Self(client))
    }

    async fn send(
        &self,
        request: http::Request<Vec<u8>>,
        within: Duration,
    ) -> Result<http::Response<Vec<u8>>, reqwest::Error> {
        let mut request = reqwest::Request::try_from(request)?;
        *request.timeout_mut() = Some(within);
        let answer = self.0.execute(request).await?;
        let (status, headers) = (answer.status(), answer.headers().clone());
        let mut response = http::Response::new(answer.bytes().await?.to_vec());
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        Ok(response)
    }
}

#[async_trait]
impl Transport for HttpClient {
    fn now(&self) -> Instant {
        Instant::now()
    }

    async fn exchange(
        &self,
        request: http::Request<Vec<u8>>,
        within: Duration,
    ) -> Result<http::Response<Vec<u8>>, TransportError> {
        self.send(request, within).await.map_err(|error| {
            // A connection that is not made within its own shorter time is no passed deadline.
            if error.is_timeout() && !error.is_connect() {
                TransportError::TimedOut
            } else {
                TransportError::Unreachable(error.without_url().into())
            }
        })
    }
}
