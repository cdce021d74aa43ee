//! The providers whose rules are linked: the one place to add another.

use std::sync::Arc;

use millwright_provider::{NameTaken, Registry, SpecRules};
use millwright_provider_local::LocalRules;

/// The offline half of every provider.
///
/// # Errors
/// When two have one name, which would be a mistake in the build.
pub fn linked_providers() -> Result<Registry<dyn SpecRules>, NameTaken> {
    Registry::<dyn SpecRules>::default().with(Arc::new(LocalRules))
}
