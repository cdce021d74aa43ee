//! Where the access data of a cluster come from.

use std::fmt;
use std::path::PathBuf;

/// A source of address and credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClusterAccess {
    /// The service account of the pod this process runs in.
    InCluster,
    /// A kubeconfig file; its current context counts.
    Kubeconfig(PathBuf),
}

impl fmt::Display for ClusterAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InCluster => f.write_str("the service account of this pod"),
            Self::Kubeconfig(path) => write!(f, "kubeconfig {}", path.display()),
        }
    }
}
