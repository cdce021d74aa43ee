//! Requests counted by answer, under the name that client-go uses.

use http::Method;
use prometheus::{IntCounterVec, Opts, Registry};

/// The counters of all clients of a process.
#[derive(Clone, Debug)]
pub struct ClientMetrics {
    requests: IntCounterVec,
}

impl ClientMetrics {
    /// Registers the counters.
    ///
    /// # Errors
    /// When the registry has one of that name already.
    pub fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        let opts = Opts::new(
            "rest_client_requests_total",
            "Requests to API servers by status code (<error> when there was no answer), method and host.",
        );
        let requests = IntCounterVec::new(opts, &["code", "method", "host"])?;
        registry.register(Box::new(requests.clone()))?;
        Ok(Self { requests })
    }

    pub(super) fn count(&self, code: &str, method: &Method, host: &str) {
        self.requests.with_label_values(&[code, method.as_str(), host]).inc();
    }
}
