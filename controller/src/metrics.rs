//! Every metric of the process, in one registry that the wiring owns.

use millwright_cluster::client::ClientMetrics;
use millwright_cluster::events::EventMetrics;
use millwright_cluster::metrics::FleetMetrics;
use millwright_cluster::queue::QueueMetricsFamily;
use millwright_cluster::watch::WatchMetrics;
use prometheus::Registry;

use crate::cloud_calls::CloudCalls;
use crate::cloud_metrics::CloudMetrics;
use crate::state_metrics::StateMetrics;

/// What the parts of a process count with. Shared by its fleets.
#[derive(Clone)]
pub struct Metrics {
    pub(crate) clients: ClientMetrics,
    pub(crate) calls: CloudCalls,
    pub(crate) clouds: CloudMetrics,
    pub(crate) events: EventMetrics,
    pub(crate) fleets: FleetMetrics,
    pub(crate) queues: QueueMetricsFamily,
    pub(crate) state: StateMetrics,
    pub(crate) watches: WatchMetrics,
}

impl Metrics {
    /// Registers all of them.
    ///
    /// # Errors
    /// When the registry has one of these names already.
    pub fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        Ok(Self {
            clients: ClientMetrics::register(registry)?,
            calls: CloudCalls::register(registry)?,
            clouds: CloudMetrics::register(registry)?,
            events: EventMetrics::register(registry)?,
            fleets: FleetMetrics::register(registry)?,
            queues: QueueMetricsFamily::register(registry)?,
            state: StateMetrics::register(registry)?,
            watches: WatchMetrics::register(registry)?,
        })
    }
}
