//! What is counted about watches.

use prometheus::{IntCounterVec, Opts, Registry};

/// The counters of all watches of a process.
#[derive(Clone, Debug)]
pub struct WatchMetrics {
    pub(super) errors: IntCounterVec,
    pub(super) relists: IntCounterVec,
}

impl WatchMetrics {
    /// Registers the counters.
    ///
    /// # Errors
    /// When the registry has counters of these names already.
    pub fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        let counter = |name: &str, help: &str| {
            let counter = IntCounterVec::new(Opts::new(name, help), &["kind"])?;
            registry.register(Box::new(counter.clone()))?;
            Ok::<_, prometheus::Error>(counter)
        };
        Ok(Self {
            errors: counter("millwright_watch_errors_total", "Failed lists and watches by kind.")?,
            relists: counter(
                "millwright_watch_relists_total",
                "Lists of all objects that were begun, by kind.",
            )?,
        })
    }
}
