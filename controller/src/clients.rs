//! The clients of a fleet.

use millwright_cluster::client::{
    ClientMetrics, ClientSettings, ConnectError, ControlClient, Fence, Side, TargetClient, connect,
};

use crate::FleetConfig;

/// As what we are known to API servers, in their logs and metrics.
const USER_AGENT: &str = concat!("millwright-controller/", env!("CARGO_PKG_VERSION"));

/// One client for each cluster, and one for the leases that waits for nobody.
pub struct Clients {
    /// Where the machine objects are.
    pub control: ControlClient,
    /// Where the nodes are; `None` when machines are only VMs.
    pub target: Option<TargetClient>,
    /// The control cluster once more, without a line to wait in.
    pub leases: kube::Client,
    /// The target cluster once more, likewise: to find out whether it can be reached.
    pub target_probes: Option<kube::Client>,
    /// What stops the writes of all but the leases' client when the lease is not held.
    pub fence: Fence,
}

impl Clients {
    /// Builds them; asks no API server yet.
    pub(crate) async fn connect(config: &FleetConfig, metrics: &ClientMetrics) -> Result<Self, ConnectError> {
        let fence = Fence::default();
        let settings =
            ClientSettings { rate: config.rate, fence: fence.clone(), ..ClientSettings::new(USER_AGENT) };
        let (side, control, target) = match &config.target {
            None => (Side::Control, ControlClient::connect(&config.control, &settings, metrics).await?, None),
            // One pool of connections for what is one cluster. Without a control flag of its own it was
            // named by the target's, and an error must name that one.
            Some(access) if *access == config.control => {
                let target = TargetClient::connect(access, &settings, metrics).await?;
                (Side::Target, ControlClient(target.0.clone()), Some(target))
            }
            Some(access) => {
                let control = ControlClient::connect(&config.control, &settings, metrics).await?;
                (Side::Control, control, Some(TargetClient::connect(access, &settings, metrics).await?))
            }
        };
        let unhurried = ClientSettings::for_lease(USER_AGENT);
        let leases = connect(side, &config.control, &unhurried, metrics).await?;
        let target_probes = match &config.target {
            None => None,
            Some(access) if *access == config.control => Some(leases.clone()),
            Some(access) => Some(connect(Side::Target, access, &unhurried, metrics).await?),
        };
        Ok(Self { control, target, leases, target_probes, fence })
    }
}
