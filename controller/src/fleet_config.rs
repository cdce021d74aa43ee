//! One fleet as its owner wants it served.

use std::time::Duration;

use millwright_cluster::Workers;
use millwright_cluster::client::{ClusterAccess, RequestRate};
use millwright_cluster::orphans::OrphanSettings;
use millwright_decide::freeze::FreezeSettings;
use millwright_decide::{MachineSettings, RolloutSettings};

use crate::{Controllers, Election, ServedProviders};

/// A control namespace, the cluster its nodes join, and how it is worked on. A process may serve several.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetConfig {
    /// The control namespace.
    pub namespace: String,
    /// Where the machine objects are.
    pub control: ClusterAccess,
    /// Where the nodes are; `None` when machines are only VMs.
    pub target: Option<ClusterAccess>,
    /// How hard each cluster may be asked.
    pub rate: RequestRate,
    /// How often each kind is listed anew even when its watch seems well.
    pub relist: Duration,
    /// Which controllers run here.
    pub controllers: Controllers,
    /// Which clouds are served.
    pub providers: ServedProviders,
    /// How many objects are worked on at the same time.
    pub workers: Workers,
    /// What holds for machines that do not say otherwise.
    pub settings: MachineSettings,
    /// What holds for sets and deployments that do not say otherwise.
    pub rollouts: RolloutSettings,
    /// How many nodes may be drained at the same time; `None` for no limit.
    pub max_concurrent_drains: Option<usize>,
    /// Groups of a bootstrap token.
    pub bootstrap_groups: String,
    /// When VMs that nobody owns are collected.
    pub orphans: OrphanSettings,
    /// When nothing is judged, made or deleted because an API server is silent.
    pub freeze: FreezeSettings,
    /// How this process becomes the one that writes.
    pub election: Election,
    /// How long work under way may go on after the end was asked for.
    pub shutdown_grace: Duration,
}
