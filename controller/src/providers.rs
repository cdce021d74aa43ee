//! The clouds this program can make VMs on: the one place to add another.

use std::sync::Arc;

use millwright_provider::{NameTaken, Provider, Registry};
use millwright_provider_local::{LocalProvider, NoHttpClient};

/// Why the providers can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ProvidersError {
    /// Two have one name, which is a mistake in the build.
    #[error(transparent)]
    NameTaken(#[from] NameTaken),
    /// The local provider has no way to send requests.
    #[error("provider local: {0}")]
    Local(#[from] NoHttpClient),
}

/// Every provider. The TLS provider must have been installed before.
///
/// # Errors
/// When one can't be made.
pub fn linked_providers() -> Result<Registry<dyn Provider>, ProvidersError> {
    Ok(Registry::<dyn Provider>::default().with(Arc::new(LocalProvider::new()?))?)
}
