//! How a VM boots and how far it has come.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a VM does once it has power.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BootMode {
    /// It reads its user data and joins with a certificate of its own, as a kubelet does.
    #[default]
    Kubelet,
    /// The simulator registers its node with the simulator's own kubeconfig; for benches.
    Direct,
    /// It never joins.
    Never,
}

/// A VM's boot options, as requests give them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Boot {
    /// What it does once it has power.
    pub mode: BootMode,
    /// Seconds between creation and the first sign of life.
    pub delay_seconds: f64,
}

impl Default for Boot {
    fn default() -> Self {
        Self { mode: BootMode::default(), delay_seconds: 1.0 }
    }
}

/// How far a VM has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Phase {
    /// It has power; the boot delay runs.
    Starting,
    /// It is on its way into the cluster; the console says what it waits for.
    Joining,
    /// Its node is registered.
    Joined,
    /// Its node object was deleted; as a kubelet, it registers again only after a restart.
    NodeGone,
    /// Its user data is no use; the console says why.
    Failed,
    /// It was told never to join.
    NeverJoins,
    /// It has no power.
    Off,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
