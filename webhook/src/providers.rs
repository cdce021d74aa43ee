//! The providers whose rules are linked: the one place to add another.

use std::sync::Arc;

use millwright_provider::{NameTaken, Registry, SpecRules};
use millwright_provider_aws::AwsRules;
use millwright_provider_azure::AzureRules;
use millwright_provider_gcp::GcpRules;
use millwright_provider_local::LocalRules;
use millwright_provider_openstack::OpenStackRules;

/// The offline half of every provider.
///
/// # Errors
/// When two have one name, which would be a mistake in the build.
pub fn linked_providers() -> Result<Registry<dyn SpecRules>, NameTaken> {
    Registry::<dyn SpecRules>::default()
        .with(Arc::new(AwsRules))?
        .with(Arc::new(AzureRules))?
        .with(Arc::new(GcpRules))?
        .with(Arc::new(OpenStackRules))?
        .with(Arc::new(LocalRules))
}
