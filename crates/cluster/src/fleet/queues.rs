//! Where a fleet's work waits, one queue for each kind.

use crate::queue::{QueueMetricsFamily, WorkQueue};

/// Names of objects to look at.
#[derive(Clone)]
pub struct Queues {
    /// Machines.
    pub machines: WorkQueue<String>,
    /// Machine sets.
    pub sets: WorkQueue<String>,
    /// Machine deployments.
    pub deployments: WorkQueue<String>,
    /// Machine classes.
    pub classes: WorkQueue<String>,
    /// Secrets that classes name.
    pub secrets: WorkQueue<String>,
}

impl Queues {
    /// Queues under the names that dashboards of Gardener's controllers read.
    #[must_use]
    pub fn new(metrics: &QueueMetricsFamily) -> Self {
        let queue = |name| WorkQueue::with_metrics(metrics.named(name));
        Self {
            machines: queue("machine"),
            sets: queue("machineset"),
            deployments: queue("machinedeployment"),
            classes: queue("machineclass"),
            secrets: queue("secret"),
        }
    }

    /// Ends all queues: their workers finish what they hold and stop.
    pub fn shutdown(&self) {
        self.machines.shutdown();
        self.sets.shutdown();
        self.deployments.shutdown();
        self.classes.shutdown();
        self.secrets.shutdown();
    }
}
