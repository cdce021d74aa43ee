//! The two clusters as types, so that a machine is never looked for where the nodes are.

use std::fmt;

use super::{ClientMetrics, ClientSettings, ClusterAccess, ConnectError, connect};

/// Which of the two clusters. They may be one and the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Where the machine objects and the secrets of their classes are.
    Control,
    /// Where the nodes, pods, volumes and bootstrap tokens are.
    Target,
}

impl Side {
    /// The flag that says where it is.
    #[must_use]
    pub const fn flag(self) -> &'static str {
        match self {
            Self::Control => "--control-kubeconfig",
            Self::Target => "--target-kubeconfig",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Control => "control cluster",
            Self::Target => "target cluster",
        })
    }
}

/// A client of the control cluster.
#[derive(Clone)]
pub struct ControlClient(pub kube::Client);

/// A client of the target cluster.
#[derive(Clone)]
pub struct TargetClient(pub kube::Client);

impl ControlClient {
    /// Builds the client; asks the API server nothing yet.
    ///
    /// # Errors
    /// When the access data can't be read or used.
    pub async fn connect(
        access: &ClusterAccess,
        settings: &ClientSettings,
        metrics: &ClientMetrics,
    ) -> Result<Self, ConnectError> {
        connect(Side::Control, access, settings, metrics).await.map(Self)
    }
}

impl TargetClient {
    /// Builds the client; asks the API server nothing yet.
    ///
    /// # Errors
    /// When the access data can't be read or used.
    pub async fn connect(
        access: &ClusterAccess,
        settings: &ClientSettings,
        metrics: &ClientMetrics,
    ) -> Result<Self, ConnectError> {
        connect(Side::Target, access, settings, metrics).await.map(Self)
    }
}

impl fmt::Debug for ControlClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ControlClient")
    }
}

impl fmt::Debug for TargetClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TargetClient")
    }
}
