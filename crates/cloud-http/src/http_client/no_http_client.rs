//! Why there are no connections.

use std::error::Error;

/// No HTTP client can be made. Says nothing of what was given.
#[derive(Debug, thiserror::Error)]
pub enum NoHttpClient {
    /// The authorities are not certificates.
    #[error("the certificate authorities can't be used; they must be certificates in PEM: {}", causes(.0))]
    Authorities(#[source] reqwest::Error),
    /// The certificate to show or its key is not one.
    #[error(
        "the client certificate can't be used; certificate and key must be in PEM, the key not encrypted: {}", causes(.0)
    )]
    Identity(#[source] reqwest::Error),
    /// Anything else, such as certificate and key that do not belong together, or a machine without roots of trust.
    #[error("no HTTP client can be made: {}", causes(.0))]
    Client(#[source] reqwest::Error),
}

fn causes(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
