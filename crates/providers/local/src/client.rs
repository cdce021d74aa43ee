//! The HTTP client that all calls share: connections, nothing else.
//!
//! It holds no token and no endpoint, so that a rotated credential counts from the next call on.

use std::time::Duration;

use thiserror::Error;

/// No HTTP client can be made.
#[derive(Debug, Error)]
#[error("provider local: no HTTP client: {0}")]
pub struct NoHttpClient(#[from] reqwest::Error);

pub(crate) fn new() -> Result<reqwest::Client, NoHttpClient> {
    let client = reqwest::Client::builder()
        .user_agent(concat!("millwright/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(Duration::from_secs(5))
        .pool_idle_timeout(Duration::from_secs(30))
        // A redirect could carry the token to somebody else.
        .redirect(reqwest::redirect::Policy::none())
        .build()?;
    Ok(client)
}
