//! The clients of a fleet.

use millwright_cluster::client::{
    ClientMetrics, ClientSettings, ConnectError, ControlClient, Side, TargetClient, connect,
};

use crate::FleetConfig;

/// As what we are known to API servers, in their logs and metrics.
const USER_AGENT: &str = concat!("millwright-controller/", env!("CARGO_PKG_VERSION"));

/// One client for each cluster, and one for the leases that waits for nobody.
pub(crate) struct Clients {
    pub(crate) control: ControlClient,
    pub(crate) target: Option<TargetClient>,
    pub(crate) leases: kube::Client,
}

impl Clients {
    /// Builds them; asks no API server yet.
    pub(crate) async fn connect(config: &FleetConfig, metrics: &ClientMetrics) -> Result<Self, ConnectError> {
        let settings = ClientSettings { rate: config.rate, ..ClientSettings::new(USER_AGENT) };
        let control = ControlClient::connect(&config.control, &settings, metrics).await?;
        let target = match &config.target {
            None => None,
            // One pool of connections for what is one cluster.
            Some(access) if *access == config.control => Some(TargetClient(control.0.clone())),
            Some(access) => Some(TargetClient::connect(access, &settings, metrics).await?),
        };
        let leases =
            connect(Side::Control, &config.control, &ClientSettings::for_lease(USER_AGENT), metrics).await?;
        Ok(Self { control, target, leases })
    }
}
