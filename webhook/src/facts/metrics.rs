//! What is known, as metrics: looked at when somebody scrapes.

use std::sync::Arc;

use prometheus::core::{Collector, Desc};
use prometheus::proto::MetricFamily;
use prometheus::{IntGaugeVec, Opts, Registry};

use super::{Watched, WatchedKind};

/// Shows whether each kind is known and how many objects are kept.
#[derive(Clone)]
pub(super) struct FactsMetrics {
    watched: Arc<Watched>,
    kinds: Vec<WatchedKind>,
    known: IntGaugeVec,
    objects: IntGaugeVec,
}

impl FactsMetrics {
    /// Shows these kinds in `registry`.
    ///
    /// # Errors
    /// When the registry has metrics of these names already.
    pub(super) fn register(
        registry: &Registry,
        watched: Arc<Watched>,
        kinds: Vec<WatchedKind>,
    ) -> Result<(), prometheus::Error> {
        let known = Opts::new(
            "millwright_webhook_facts_known",
            "1 while the objects of a kind are known; 0 before they were listed once, and when their watch has failed for long.",
        );
        let objects = Opts::new(
            "millwright_webhook_facts_objects",
            "Objects that are kept to judge others by, by kind.",
        );
        let metrics = Self {
            watched,
            kinds,
            known: IntGaugeVec::new(known, &["kind"])?,
            objects: IntGaugeVec::new(objects, &["kind"])?,
        };
        registry.register(Box::new(metrics))
    }
}

impl Collector for FactsMetrics {
    fn desc(&self) -> Vec<&Desc> {
        self.known.desc().into_iter().chain(self.objects.desc()).collect()
    }

    fn collect(&self) -> Vec<MetricFamily> {
        for kind in &self.kinds {
            let labels = [kind.resource()];
            self.known.with_label_values(&labels).set(i64::from(self.watched.knows(*kind)));
            let count = i64::try_from(self.watched.count(*kind)).unwrap_or(i64::MAX);
            self.objects.with_label_values(&labels).set(count);
        }
        self.known.collect().into_iter().chain(self.objects.collect()).collect()
    }
}
