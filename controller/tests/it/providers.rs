//! The linked providers, as `main` has them.

use std::sync::Arc;

use millwright_cloud_http::{CloudAccess, HttpClient};
use millwright_controller::linked_providers;
use millwright_provider::{Provider, Registry};

pub(crate) fn providers() -> Registry<dyn Provider> {
    // Another test may have been first.
    drop(rustls::crypto::ring::default_provider().install_default());
    linked_providers(CloudAccess::over(Arc::new(HttpClient::new().unwrap()))).unwrap()
}
