//! What a simulated cloud is started with.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use crate::secret::Secret;
use crate::settings::Settings;

/// What a simulated cloud is started with.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The bearer token that callers must show.
    pub token: Secret,
    /// Where to keep the state; in memory only when absent.
    pub state: Option<PathBuf>,
    /// The simulator's own way to an API server, for VMs that boot in mode `direct`.
    pub kubeconfig: Option<PathBuf>,
    /// What the cloud sells.
    pub settings: Settings,
}

impl Config {
    /// A cloud on a free port of this machine, with the built-in catalog and without a state file.
    pub fn new(token: impl Into<String>) -> Self {
        Self {
            listen: (Ipv4Addr::LOCALHOST, 0).into(),
            token: Secret::new(token),
            state: None,
            kubeconfig: None,
            settings: Settings::default(),
        }
    }
}
