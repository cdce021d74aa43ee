//! What providers count of their own requests: how many, how long, how often a cloud or the budget of a credential said no.
//! The names are those under which drivers of machine-controller-manager count theirs; `service` is the cloud's operation.

use millwright_cloud_http::{CallJournal, Called, Urgency};
use prometheus::{Error, HistogramOpts, HistogramVec, IntCounterVec, Opts, Registry};

/// Counts the requests of all providers of a process. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct CloudCalls {
    requests: IntCounterVec,
    failed: IntCounterVec,
    duration: HistogramVec,
    throttled: IntCounterVec,
    waited: HistogramVec,
    spent: IntCounterVec,
}

impl CloudCalls {
    pub(crate) fn register(registry: &Registry) -> Result<Self, Error> {
        let counter = |name: &str, help: &str| {
            let counter = IntCounterVec::new(Opts::new(name, help), &["provider", "service"])?;
            registry.register(Box::new(counter.clone()))?;
            Ok::<_, Error>(counter)
        };
        let histogram = |name: &str, help: &str, second: &str| {
            let histogram = HistogramVec::new(HistogramOpts::new(name, help), &["provider", second])?;
            registry.register(Box::new(histogram.clone()))?;
            Ok::<_, Error>(histogram)
        };
        Ok(Self {
            requests: counter(
                "mcm_cloud_api_requests_total",
                "Requests to a cloud, by provider and the cloud's operation.",
            )?,
            failed: counter(
                "mcm_cloud_api_requests_failed_total",
                "Requests to a cloud that it refused or did not answer, by provider and the cloud's operation.",
            )?,
            duration: histogram(
                "mcm_cloud_api_api_request_duration_seconds",
                "How long requests to a cloud took, by provider and the cloud's operation.",
                "service",
            )?,
            throttled: counter(
                "millwright_cloud_throttled_total",
                "Answers of a cloud that asked to be left alone for a while, by provider and the cloud's operation.",
            )?,
            waited: histogram(
                "millwright_cloud_budget_wait_duration_seconds",
                "How long requests waited for the budget of their credential, by provider and urgency.",
                "urgency",
            )?,
            spent: counter(
                "millwright_cloud_budget_spent_total",
                "Requests that were not sent because the budget of their credential was spent for longer than they could wait, by provider and the cloud's operation.",
            )?,
        })
    }
}

impl CallJournal for CloudCalls {
    fn called(&self, called: &Called) {
        let labels = [called.cloud, called.operation];
        self.requests.with_label_values(&labels).inc();
        self.duration.with_label_values(&labels).observe(called.took.as_secs_f64());
        if called.status.is_none_or(|status| status >= 400) {
            self.failed.with_label_values(&labels).inc();
        }
        let urgency = match called.urgency {
            Urgency::Delete => "delete",
            Urgency::Create => "create",
            Urgency::Poll => "poll",
        };
        self.waited.with_label_values(&[called.cloud, urgency]).observe(called.waited.as_secs_f64());
    }

    fn throttled(&self, cloud: &'static str, operation: &'static str) {
        self.throttled.with_label_values(&[cloud, operation]).inc();
    }

    fn spent(&self, cloud: &'static str, operation: &'static str) {
        self.spent.with_label_values(&[cloud, operation]).inc();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use prometheus::TextEncoder;

    use super::*;

    #[test]
    fn requests_are_counted_by_the_clouds_operation_and_refused_ones_once_more() {
        let registry = Registry::new();
        let calls = CloudCalls::register(&registry).unwrap();
        let called = |urgency, status| Called {
            cloud: "aws",
            operation: "RunInstances",
            urgency,
            waited: Duration::from_secs(7),
            took: Duration::from_secs(2),
            status,
        };
        calls.called(&called(Urgency::Create, Some(200)));
        calls.called(&called(Urgency::Create, Some(503)));
        calls.called(&called(Urgency::Delete, None));
        calls.throttled("aws", "RunInstances");
        calls.spent("aws", "DescribeInstances");
        let text = TextEncoder::new().encode_to_string(&registry.gather()).unwrap();
        for line in [
            r#"mcm_cloud_api_requests_total{provider="aws",service="RunInstances"} 3"#,
            r#"mcm_cloud_api_requests_failed_total{provider="aws",service="RunInstances"} 2"#,
            r#"mcm_cloud_api_api_request_duration_seconds_sum{provider="aws",service="RunInstances"} 6"#,
            r#"millwright_cloud_throttled_total{provider="aws",service="RunInstances"} 1"#,
            r#"millwright_cloud_budget_wait_duration_seconds_sum{provider="aws",urgency="create"} 14"#,
            r#"millwright_cloud_budget_spent_total{provider="aws",service="DescribeInstances"} 1"#,
        ] {
            assert!(text.lines().any(|shown| shown == line), "{line} is not in\n{text}");
        }
    }
}
