//! Which of the linked clouds a fleet is served on.

use std::collections::BTreeSet;
use std::sync::Arc;

use millwright_provider::{NameTaken, Provider, Registry};

use crate::cloud_metrics::CloudMetrics;
use crate::measured_provider::MeasuredProvider;

/// All clouds, or some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServedProviders {
    /// Every provider that is linked.
    All,
    /// These, by their first names; another process serves the others.
    Only(BTreeSet<&'static str>),
}

impl ServedProviders {
    /// The linked providers, each measured.
    pub(crate) fn measured(
        linked: &Registry<dyn Provider>,
        metrics: &CloudMetrics,
    ) -> Result<Registry<dyn Provider>, NameTaken> {
        let mut providers = linked.names().iter().filter_map(|name| linked.get(name).ok());
        providers.try_fold(Registry::<dyn Provider>::default(), |measured, provider| {
            measured.with(Arc::new(MeasuredProvider::new(provider.clone(), metrics.clone())))
        })
    }

    /// Every name, in lower case, of the linked providers that another process serves.
    pub(crate) fn foreign(&self, linked: &Registry<dyn Provider>) -> BTreeSet<String> {
        let Self::Only(served) = self else { return BTreeSet::new() };
        let others = linked.names().iter().filter(|name| !served.contains(*name));
        others
            .filter_map(|name| linked.get(name).ok())
            .flat_map(|provider| provider.names().iter().map(|name| name.to_lowercase()))
            .collect()
    }
}
