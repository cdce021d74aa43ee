//! Asks a program over HTTP whether it is ready. What to do about the answer is `launch`'s business.

use std::time::Duration;

use reqwest::{Certificate, Client};

/// A client that trusts one authority and nothing else, and ignores proxy settings: everything here is on the loopback address.
#[derive(Clone)]
pub(crate) struct Probe {
    client: Client,
}

impl Probe {
    pub(crate) fn new(ca_pem: &str) -> reqwest::Result<Self> {
        let authority = Certificate::from_pem(ca_pem.as_bytes())?;
        let client = Client::builder()
            .tls_certs_only([authority])
            .no_proxy()
            .connect_timeout(Duration::from_secs(2))
            .timeout(Duration::from_secs(5))
            .build()?;
        Ok(Self { client })
    }

    /// For programs that speak plain HTTP.
    pub(crate) fn without_tls() -> reqwest::Result<Self> {
        let client = Client::builder()
            .tls_certs_only([])
            .no_proxy()
            .connect_timeout(Duration::from_secs(2))
            .timeout(Duration::from_secs(5))
            .build()?;
        Ok(Self { client })
    }

    /// Nothing when `url` answers 200, else what it said instead.
    pub(crate) async fn objection(&self, url: &str) -> Option<String> {
        match self.client.get(url).send().await {
            Ok(answer) if answer.status().is_success() => None,
            Ok(answer) => Some(format!("{url} answers {}", answer.status())),
            Err(error) if error.is_connect() => Some(format!("nothing that we trust answers at {url}")),
            Err(error) if error.is_timeout() => Some(format!("{url} does not answer in time")),
            Err(error) => Some(format!("{url}: {error}")),
        }
    }
}
