//! The clouds this program can make VMs on: the one place to add another.

use std::sync::Arc;

use millwright_cloud_http::CloudAccess;
use millwright_provider::{NameTaken, Provider, Registry};

/// Every provider that is switched on by a feature of this crate, and the simulated cloud's. They share what the process lends
/// them: connections, and one budget of calls for each credential, whichever fleet it serves.
///
/// # Errors
/// When two have one name, which would be a mistake in the build.
pub fn linked_providers(access: CloudAccess) -> Result<Registry<dyn Provider>, NameTaken> {
    let registry = Registry::<dyn Provider>::default();
    #[cfg(feature = "aws")]
    let registry = registry.with(Arc::new(millwright_provider_aws::AwsProvider::new(access.clone())))?;
    #[cfg(feature = "azure")]
    let registry = registry.with(Arc::new(millwright_provider_azure::AzureProvider::new(access.clone())))?;
    #[cfg(feature = "gcp")]
    let registry = registry.with(Arc::new(millwright_provider_gcp::GcpProvider::new(access.clone())))?;
    #[cfg(feature = "openstack")]
    let registry =
        registry.with(Arc::new(millwright_provider_openstack::OpenStackProvider::new(access.clone())))?;
    registry.with(Arc::new(millwright_provider_local::LocalProvider::new(access)))
}
