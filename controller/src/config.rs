//! What the flags mean.

use std::net::SocketAddr;

use millwright_cloud_http::Endpoints;

use crate::{FleetConfig, LogConfig};

/// A process's configuration: checked, nothing left to parse.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Where probes and metrics are served.
    pub listen: SocketAddr,
    /// What is logged.
    pub logs: LogConfig,
    /// Where clouds are that are not at their usual place.
    pub cloud_endpoints: Endpoints,
    /// The fleet to serve.
    pub fleet: FleetConfig,
}
