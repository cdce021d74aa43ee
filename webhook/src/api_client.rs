//! The webhook's own way to the API server: for what it watches, and for its certificates in the self-signed mode.

use millwright_cluster::client::{ClientMetrics, ClientSettings, ConnectError, ControlClient, RequestRate};

use crate::NeighbourArgs;

/// As what we are known to API servers, in their logs and metrics.
const USER_AGENT: &str = concat!("millwright-webhook/", env!("CARGO_PKG_VERSION"));

/// A client of the cluster with the machine objects. Asks nothing yet.
///
/// # Errors
/// When the access data can't be used.
pub(crate) async fn api_client(
    args: &NeighbourArgs,
    metrics: &ClientMetrics,
) -> Result<ControlClient, ConnectError> {
    let settings = ClientSettings {
        rate: RequestRate::Limited { qps: 20.0, burst: 50 },
        ..ClientSettings::new(USER_AGENT)
    };
    ControlClient::connect(&args.access(), &settings, metrics).await
}
