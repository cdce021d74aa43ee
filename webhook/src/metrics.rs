//! What the webhook counts. One value, handed to whoever has something to count.

use std::time::Duration;

use jiff::Timestamp;
use prometheus::{HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry};

use crate::endpoint::Endpoint;
use crate::outcome::Outcome;

/// Reviews stay far below the API server's first bucket of 5 ms, so half of these lie below it.
const BUCKETS: [f64; 10] = [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.025, 0.1, 0.5, 2.5];

/// The webhook's metrics. Clones count into the same.
#[derive(Clone)]
pub struct Metrics {
    requests: IntCounterVec,
    durations: HistogramVec,
    certificate_expiry: IntGauge,
    reload_failures: IntCounter,
    handshake_failures: IntCounterVec,
    connections: IntGauge,
}

/// What a request was about, for its labels. Never the caller's own words: they could be endless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    pub(crate) kind: &'static str,
    pub(crate) operation: &'static str,
}

impl Subject {
    /// The label of deletions.
    pub(crate) const DELETE: &'static str = "DELETE";

    /// A request that could not be read.
    pub(crate) const UNKNOWN: Self = Self { kind: "unknown", operation: "unknown" };
}

/// Why a connection never came to speak HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HandshakeFailure {
    /// The peer took too long.
    TimedOut,
    /// The peers could not agree, or there is no certificate.
    Refused,
    /// The peer did not prove to be one of those who may ask.
    Client,
}

impl HandshakeFailure {
    /// Tells a client that was checked and refused from everything else.
    pub(crate) fn of(error: &std::io::Error) -> Self {
        let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
        match tls {
            Some(rustls::Error::NoCertificatesPresented | rustls::Error::InvalidCertificate(_)) => {
                Self::Client
            }
            _ => Self::Refused,
        }
    }
}

impl Metrics {
    /// Metrics that show in `registry`.
    ///
    /// # Errors
    /// When the registry has metrics of these names already.
    pub fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        let requests =
            Opts::new("millwright_webhook_requests_total", "Admission requests, by how they ended.");
        let durations = HistogramOpts::new(
            "millwright_webhook_request_duration_seconds",
            "Time from a request's headers to its answer.",
        );
        let handshakes =
            Opts::new("millwright_webhook_tls_handshake_failures_total", "TLS handshakes that failed.");
        let metrics = Self {
            requests: IntCounterVec::new(requests, &["endpoint", "kind", "operation", "outcome"])?,
            durations: HistogramVec::new(durations.buckets(BUCKETS.to_vec()), &["endpoint"])?,
            certificate_expiry: IntGauge::new(
                "millwright_webhook_certificate_expiry_timestamp_seconds",
                "When the certificate that is served expires; 0 while there is none.",
            )?,
            reload_failures: IntCounter::new(
                "millwright_webhook_certificate_reload_failures_total",
                "Looks at the certificate files that found nothing that could be served.",
            )?,
            handshake_failures: IntCounterVec::new(handshakes, &["reason"])?,
            connections: IntGauge::new("millwright_webhook_connections", "Open connections.")?,
        };
        registry.register(Box::new(metrics.requests.clone()))?;
        registry.register(Box::new(metrics.durations.clone()))?;
        registry.register(Box::new(metrics.certificate_expiry.clone()))?;
        registry.register(Box::new(metrics.reload_failures.clone()))?;
        registry.register(Box::new(metrics.handshake_failures.clone()))?;
        registry.register(Box::new(metrics.connections.clone()))?;
        Ok(metrics)
    }

    pub(crate) fn request(&self, endpoint: Endpoint, subject: Subject, outcome: Outcome, took: Duration) {
        let labels = [endpoint.as_str(), subject.kind, subject.operation, outcome.as_str()];
        self.requests.with_label_values(&labels).inc();
        self.durations.with_label_values(&[endpoint.as_str()]).observe(took.as_secs_f64());
    }

    pub(crate) fn certificate_expiry(&self, at: Timestamp) {
        self.certificate_expiry.set(at.as_second());
    }

    pub(crate) fn reload_failed(&self) {
        self.reload_failures.inc();
    }

    pub(crate) fn handshake_failed(&self, failure: HandshakeFailure) {
        let reason = match failure {
            HandshakeFailure::TimedOut => "timed_out",
            HandshakeFailure::Refused => "refused",
            HandshakeFailure::Client => "client",
        };
        self.handshake_failures.with_label_values(&[reason]).inc();
    }

    /// Counts a connection for as long as the guard lives.
    pub(crate) fn connection(&self) -> OpenConnection {
        self.connections.inc();
        OpenConnection(self.connections.clone())
    }
}

/// One open connection.
pub(crate) struct OpenConnection(IntGauge);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.dec();
    }
}
