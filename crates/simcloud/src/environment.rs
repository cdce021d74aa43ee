//! What all guests share: the inventory they report to, the catalog, and the way to API servers.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::catalog::Catalog;
use crate::inventory::Inventory;
use crate::kube::{KubeClient, Network};

#[derive(Debug)]
pub(crate) struct Environment {
    pub(crate) inventory: Mutex<Inventory>,
    pub(crate) catalog: Catalog,
    pub(crate) network: Arc<Network>,
    /// With the simulator's own kubeconfig; for VMs that boot in mode `direct`.
    pub(crate) direct: Option<KubeClient>,
    /// The version that nodes report.
    pub(crate) kubelet_version: String,
}
