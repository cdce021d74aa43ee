//! The HTTP client that all calls share: connections, nothing else.
//!
//! It holds no token and no endpoint, so that a rotated credential counts from the next call on.

mod no_http_client;
mod proxies;
mod tls_settings;

#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use async_trait::async_trait;
use reqwest::{Certificate, ClientBuilder, Identity, Proxy, redirect, retry};

pub use self::no_http_client::NoHttpClient;
pub use self::tls_settings::TlsSettings;

use self::proxies::Proxies;
use self::tls_settings::Servers;
use crate::transport::{Transport, TransportError};

/// No answer of a cloud is larger: its lists come in pages.
const LARGEST_ANSWER: usize = 64 << 20;

/// Connections to clouds.
#[derive(Debug)]
pub struct HttpClient(reqwest::Client);

/// An answer without an end.
#[derive(Debug, thiserror::Error)]
#[error("the answer is larger than {LARGEST_ANSWER} bytes")]
struct TooLarge;

impl HttpClient {
    /// Connections with the machine's roots of trust. The process must have installed its TLS provider before.
    ///
    /// # Errors
    /// When TLS can not be set up.
    pub fn new() -> Result<Self, NoHttpClient> {
        Self::with(&TlsSettings::default())
    }

    /// Connections to an endpoint with TLS of its own.
    ///
    /// # Errors
    /// When a certificate or a key can't be used, or TLS can not be set up.
    pub fn with(tls: &TlsSettings) -> Result<Self, NoHttpClient> {
        Self::by(Proxies::of(|name| std::env::var(name).ok()), tls)
    }

    fn by(proxies: Proxies, tls: &TlsSettings) -> Result<Self, NoHttpClient> {
        let mut client = plain(proxies);
        if let Some(authorities) = &tls.authorities {
            let authorities = Certificate::from_pem_bundle(authorities.as_bytes());
            client = client.tls_certs_only(authorities.map_err(NoHttpClient::Authorities)?);
        }
        if let Some(identity) = &tls.identity {
            client =
                client.identity(Identity::from_pem(identity.as_bytes()).map_err(NoHttpClient::Identity)?);
        }
        if tls.servers == Servers::Anybody {
            client = client.tls_danger_accept_invalid_certs(true);
        }
        client.build().map(Self).map_err(NoHttpClient::Client)
    }

    async fn send(
        &self,
        request: http::Request<Vec<u8>>,
        within: Duration,
    ) -> Result<http::Response<Vec<u8>>, TransportError> {
        let mut request = reqwest::Request::try_from(request).map_err(failed)?;
        *request.timeout_mut() = Some(within);
        let mut answer = self.0.execute(request).await.map_err(failed)?;
        let mut body = Vec::new();
        while let Some(part) = answer.chunk().await.map_err(failed)? {
            if body.len() + part.len() > LARGEST_ANSWER {
                return Err(TransportError::Unreachable(Box::new(TooLarge)));
            }
            body.extend_from_slice(&part);
        }
        let mut response = http::Response::new(body);
        *response.status_mut() = answer.status();
        *response.headers_mut() = std::mem::take(answer.headers_mut());
        Ok(response)
    }
}

fn plain(proxies: Proxies) -> ClientBuilder {
    reqwest::Client::builder()
        .user_agent(concat!("millwright/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(Duration::from_secs(5))
        .pool_idle_timeout(Duration::from_secs(30))
        // What is tried again is decided by whoever knows what it was.
        .retry(retry::never())
        // A redirect could carry the token to somebody else.
        .redirect(redirect::Policy::none())
        .no_proxy()
        .proxy(Proxy::custom(move |url| proxies.way_to(url).cloned()))
}

fn failed(error: reqwest::Error) -> TransportError {
    // A connection that is not made within its own shorter time is no passed deadline.
    if error.is_timeout() && !error.is_connect() {
        TransportError::TimedOut
    } else {
        TransportError::Unreachable(error.without_url().into())
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
        self.send(request, within).await
    }
}
