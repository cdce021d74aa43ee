//! What became of events.

use prometheus::{IntCounter, IntCounterVec, Opts, Registry};

/// The counters of all recorders of a process.
#[derive(Clone, Debug)]
pub struct EventMetrics {
    /// Written as a new Event.
    pub(super) created: IntCounter,
    /// Added to the count of an Event.
    pub(super) counted: IntCounter,
    /// Dropped, because its object had used up its budget.
    pub(super) suppressed: IntCounter,
    /// Dropped, because too many were waiting.
    pub(super) overflowed: IntCounter,
    /// Dropped, because the API server did not take it.
    pub(super) failed: IntCounter,
}

impl EventMetrics {
    /// Registers the counters.
    ///
    /// # Errors
    /// When the registry has one of that name already.
    pub fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        let opts = Opts::new(
            "millwright_events_total",
            "Events by what became of them: created, counted, or dropped as suppressed, overflowed or failed.",
        );
        let results = IntCounterVec::new(opts, &["result"])?;
        registry.register(Box::new(results.clone()))?;
        let result = |name| results.with_label_values(&[name]);
        Ok(Self {
            created: result("created"),
            counted: result("counted"),
            suppressed: result("suppressed"),
            overflowed: result("overflowed"),
            failed: result("failed"),
        })
    }
}
