//! To whom a machine belongs. A value does not say it; who serves Kubermatic's API does.

use serde::{Deserialize, Serialize};

/// Names of a cluster and of a role in it; each cloud makes tags of them in its own spelling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterRole {
    /// Name of the cluster.
    pub cluster: String,
    /// What the machine is in it, such as `node`.
    pub role: String,
}
