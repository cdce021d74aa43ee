//! What the self-signed mode counts, beside the metrics of any certificate.

use jiff::Timestamp;
use prometheus::{IntCounterVec, IntGauge, Opts, Registry};

/// Registered in this mode only. Clones count into the same.
#[derive(Clone)]
pub(crate) struct SelfSignedMetrics {
    authority_expiry: IntGauge,
    renewals: IntCounterVec,
}

/// What was made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Renewal {
    /// The CA, and a certificate of it to follow.
    Authority,
    /// The serving certificate.
    Certificate,
}

impl SelfSignedMetrics {
    pub(crate) fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        let renewals = Opts::new(
            "millwright_webhook_certificate_renewals_total",
            "CAs and serving certificates that this replica made in the self-signed mode.",
        );
        let metrics = Self {
            authority_expiry: IntGauge::new(
                "millwright_webhook_ca_expiry_timestamp_seconds",
                "When the CA of the self-signed mode expires; 0 while there is none.",
            )?,
            renewals: IntCounterVec::new(renewals, &["what"])?,
        };
        registry.register(Box::new(metrics.authority_expiry.clone()))?;
        registry.register(Box::new(metrics.renewals.clone()))?;
        // So that they are there before the first.
        for what in [Renewal::Authority, Renewal::Certificate] {
            metrics.renewals.with_label_values(&[what.label()]);
        }
        Ok(metrics)
    }

    pub(crate) fn authority_expiry(&self, at: Timestamp) {
        self.authority_expiry.set(at.as_second());
    }

    pub(crate) fn renewed(&self, what: Renewal) {
        self.renewals.with_label_values(&[what.label()]).inc();
    }
}

impl Renewal {
    const fn label(self) -> &'static str {
        match self {
            Self::Authority => "ca",
            Self::Certificate => "certificate",
        }
    }
}
