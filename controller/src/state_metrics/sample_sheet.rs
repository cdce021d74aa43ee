//! Gathers samples by family, in the form that the registry wants.

use std::collections::BTreeMap;

use prometheus::core::Desc;
use prometheus::proto::{Gauge, LabelPair, Metric, MetricFamily, MetricType};

/// A gauge by name, with what it tells and by what.
pub(super) struct GaugeFamily {
    pub(super) name: &'static str,
    pub(super) help: &'static str,
    pub(super) labels: &'static [&'static str],
}

impl GaugeFamily {
    pub(super) fn describe(&self) -> Result<Desc, prometheus::Error> {
        let labels = self.labels.iter().map(|&label| label.to_owned()).collect();
        Desc::new(self.name.to_owned(), self.help.to_owned(), labels, std::collections::HashMap::new())
    }
}

/// Samples of one scrape.
#[derive(Default)]
pub(super) struct SampleSheet(BTreeMap<&'static str, MetricFamily>);

impl SampleSheet {
    /// Adds a sample. `values` belong to the family's labels, in their order.
    pub(super) fn add(&mut self, family: &'static GaugeFamily, values: &[&str], value: f64) {
        debug_assert_eq!(family.labels.len(), values.len(), "{}", family.name);
        let mut labels: Vec<LabelPair> =
            family.labels.iter().zip(values).map(|(name, value)| label(name, value)).collect();
        labels.sort_by(|a, b| a.name().cmp(b.name()));
        let mut gauge = Gauge::default();
        gauge.set_value(value);
        let mut metric = Metric::from_label(labels);
        metric.set_gauge(gauge);
        let samples = self.0.entry(family.name).or_insert_with(|| {
            let mut samples = MetricFamily::default();
            samples.set_name(family.name.to_owned());
            samples.set_help(family.help.to_owned());
            samples.set_field_type(MetricType::GAUGE);
            samples
        });
        samples.mut_metric().push(metric);
    }

    pub(super) fn into_families(self) -> Vec<MetricFamily> {
        self.0.into_values().collect()
    }
}

fn label(name: &str, value: &str) -> LabelPair {
    let mut pair = LabelPair::default();
    pair.set_name(name.to_owned());
    pair.set_value(value.to_owned());
    pair
}
