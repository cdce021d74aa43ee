//! What is measured about calls to clouds, under the names that dashboards for machine-controller-manager read.

use std::time::Duration;

use millwright_api::MachineCode;
use prometheus::{HistogramOpts, HistogramVec, IntCounterVec, Opts, Registry};

/// Metrics of all providers of a process.
#[derive(Clone, Debug)]
pub(crate) struct CloudMetrics {
    duration: HistogramVec,
    failed: IntCounterVec,
}

impl CloudMetrics {
    pub(crate) fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        let duration = HistogramVec::new(
            HistogramOpts::new(
                "mcm_cloud_api_driver_request_duration_seconds",
                "How long calls to a provider took that succeeded, by provider and operation.",
            ),
            &["provider", "operation"],
        )?;
        let failed = IntCounterVec::new(
            Opts::new(
                "mcm_cloud_api_driver_requests_failed_total",
                "Calls to a provider that failed, by provider, operation and number of the machine code.",
            ),
            &["provider", "operation", "error_code"],
        )?;
        registry.register(Box::new(duration.clone()))?;
        registry.register(Box::new(failed.clone()))?;
        Ok(Self { duration, failed })
    }

    pub(crate) fn succeeded(&self, provider: &str, operation: &str, took: Duration) {
        self.duration.with_label_values(&[provider, operation]).observe(took.as_secs_f64());
    }

    pub(crate) fn failed(&self, provider: &str, operation: &str, code: MachineCode) {
        let number = (code as i32).to_string();
        self.failed.with_label_values(&[provider, operation, number.as_str()]).inc();
    }
}
