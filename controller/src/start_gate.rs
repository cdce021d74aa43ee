//! What must hold before a fleet is served: its API servers answer, and the four kinds are installed.
//!
//! Both may come up after us, so both are waited for, a while. After that the process ends with a reason that names
//! the flag or the missing kinds.

use std::time::Duration;

use kube::Client;
use millwright_api::{API_VERSION, GROUP};
use millwright_cluster::client::{Side, explain};
use millwright_cluster::probe::{ProbeError, probe};
use tokio::time::Instant;

use crate::clients::Clients;

/// How long one question may take.
const ANSWER: Duration = Duration::from_secs(5);
/// Between two tries.
const PAUSE: Duration = Duration::from_secs(1);
/// The four kinds, as discovery and CRDs call them.
const KINDS: [&str; 4] = ["machineclasses", "machinedeployments", "machines", "machinesets"];

/// Why a fleet can't be served.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An API server does not answer or refuses us.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The CRDs are not installed.
    #[error(
        "control cluster: {API_VERSION} does not offer {}; install the CRDs with `kubectl apply -k config/crd`",
        missing.join(", ")
    )]
    KindsMissing {
        /// The kinds, by plural name.
        missing: Vec<&'static str>,
    },
    /// The API server does not say which kinds it has.
    #[error("control cluster: the API server does not say which kinds it has: {reason}")]
    NoDiscovery {
        /// What it said.
        reason: String,
    },
}

impl StartError {
    fn passes_with_time(&self) -> bool {
        !matches!(self, Self::Probe(ProbeError::Refused { .. }))
    }
}

/// Returns when all holds, or with what still does not after `patience`.
pub(crate) async fn pass(clients: &Clients, patience: Duration) -> Result<(), StartError> {
    let until = Instant::now() + patience;
    let mut told = String::new();
    loop {
        let Err(error) = look(clients).await else { return Ok(()) };
        if !error.passes_with_time() || Instant::now() >= until {
            return Err(error);
        }
        let text = error.to_string();
        if told != text {
            tracing::warn!(error = text, ?patience, "can't start yet; trying again");
            told = text;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn look(clients: &Clients) -> Result<(), StartError> {
    probe(Side::Control, &clients.control.0, ANSWER).await?;
    kinds(&clients.control.0).await?;
    if let Some(target) = &clients.target {
        probe(Side::Target, &target.0, ANSWER).await?;
    }
    Ok(())
}

async fn kinds(client: &Client) -> Result<(), StartError> {
    let offered = match tokio::time::timeout(ANSWER, client.list_api_group_resources(API_VERSION)).await {
        Ok(Ok(list)) => list.resources,
        // Whatever the form of the answer: the API server is there and knows no such group.
        Ok(Err(kube::Error::Api(status))) if status.code == 404 => Vec::new(),
        Ok(Err(error)) => return Err(StartError::NoDiscovery { reason: explain(&error) }),
        Err(_) => {
            return Err(StartError::NoDiscovery {
                reason: format!("no answer about {GROUP} within {ANSWER:?}"),
            });
        }
    };
    let missing: Vec<&str> =
        KINDS.into_iter().filter(|kind| offered.iter().all(|resource| resource.name != *kind)).collect();
    if missing.is_empty() { Ok(()) } else { Err(StartError::KindsMissing { missing }) }
}

#[cfg(test)]
mod tests;
