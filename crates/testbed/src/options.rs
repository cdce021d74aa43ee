//! What a caller can choose about a testbed. The defaults suit tests: everything runs, data is thrown away, dead nodes are noticed soon.

use std::{path::PathBuf, sync::Arc, time::Duration};

use crate::progress::{Progress, StandardError};

/// Choices for [`crate::Testbed::start`].
#[derive(Clone)]
pub struct Options {
    /// Where certificates, kubeconfigs, logs and etcd's data go.
    pub data: Data,
    /// Which programs run.
    pub components: Components,
    /// How fast kube-controller-manager notices that a node is gone.
    pub node_monitoring: NodeMonitoring,
    /// Whether the API server writes down who asked what.
    pub audit: Audit,
    /// Who is told about slow steps.
    pub progress: Arc<dyn Progress>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            data: Data::Temporary,
            components: Components::All,
            node_monitoring: NodeMonitoring::default(),
            audit: Audit::Off,
            progress: Arc::new(StandardError),
        }
    }
}

/// Where a testbed keeps its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Data {
    /// In a new temporary folder, removed at the end whatever the end is.
    Temporary,
    /// In this folder, which stays; a new start empties what an old one left there.
    Folder(PathBuf),
}

/// Which programs of the control plane run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Components {
    /// etcd, kube-apiserver, kube-controller-manager and kube-scheduler.
    All,
    /// etcd and kube-apiserver: nothing else writes, so that a bench counts its own requests only.
    ApiServerOnly,
}

/// Whether the API server keeps a record of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audit {
    /// No record.
    Off,
    /// Who asked what and how it ended, without bodies, for our own programs only: see [`crate::Testbed::audit_log`].
    OurPrograms,
}

/// The node life cycle controller's clock. Upstream waits 50 s before it calls a node unreachable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeMonitoring {
    /// How often node leases and conditions are looked at.
    pub period: Duration,
    /// A node silent for longer is marked Unknown. Must be several times the kubelets' lease renewal (10 s).
    pub grace_period: Duration,
}

impl Default for NodeMonitoring {
    fn default() -> Self {
        Self { period: Duration::from_secs(2), grace_period: Duration::from_secs(20) }
    }
}
