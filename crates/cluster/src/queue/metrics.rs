//! What is measured about queues, under the names that dashboards for machine-controller-manager read.

use prometheus::core::Collector;
use prometheus::{
    Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry,
    exponential_buckets,
};

/// The metrics of all queues of a process.
#[derive(Clone, Debug)]
pub struct QueueMetricsFamily {
    depth: IntGaugeVec,
    adds: IntCounterVec,
    retries: IntCounterVec,
    queue_duration: HistogramVec,
    work_duration: HistogramVec,
}

/// The metrics of one queue.
#[derive(Clone, Debug)]
pub struct QueueMetrics {
    pub(super) depth: IntGauge,
    pub(super) adds: IntCounter,
    pub(super) retries: IntCounter,
    pub(super) queue_duration: Histogram,
    pub(super) work_duration: Histogram,
}

impl QueueMetricsFamily {
    /// Registers the metrics.
    ///
    /// # Errors
    /// When the registry has metrics of these names already.
    pub fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        let label = &["name"];
        let opts = |name: &str, help: &str| Opts::new(format!("mcm_workqueue_{name}"), help);
        // 100 microseconds to about 7 minutes.
        let buckets = exponential_buckets(1e-4, 4.0, 12)?;
        let histogram = |name: &str, help: &str| {
            HistogramVec::new(HistogramOpts::from(opts(name, help)).buckets(buckets.clone()), label)
        };
        Ok(Self {
            depth: registered(
                registry,
                IntGaugeVec::new(opts("depth", "Keys that are ready and not yet in work."), label)?,
            )?,
            adds: registered(
                registry,
                IntCounterVec::new(opts("adds_total", "Keys that were made ready."), label)?,
            )?,
            retries: registered(
                registry,
                IntCounterVec::new(
                    opts("retries_total", "Keys that were asked for at a later time."),
                    label,
                )?,
            )?,
            queue_duration: registered(
                registry,
                histogram("queue_duration_seconds", "How long a key was ready before a worker took it.")?,
            )?,
            work_duration: registered(
                registry,
                histogram("work_duration_seconds", "How long a worker had a key.")?,
            )?,
        })
    }

    /// The metrics of the queue with that name.
    #[must_use]
    pub fn named(&self, name: &str) -> QueueMetrics {
        let label = &[name];
        QueueMetrics {
            depth: self.depth.with_label_values(label),
            adds: self.adds.with_label_values(label),
            retries: self.retries.with_label_values(label),
            queue_duration: self.queue_duration.with_label_values(label),
            work_duration: self.work_duration.with_label_values(label),
        }
    }
}

fn registered<C: Collector + Clone + 'static>(
    registry: &Registry,
    metric: C,
) -> Result<C, prometheus::Error> {
    registry.register(Box::new(metric.clone()))?;
    Ok(metric)
}
