//! The clouds that are in use, by credential. A rotated Secret is another credential, so that it counts from the next call on.

use std::sync::Arc;

use millwright_cloud_http::CloudAccess;
use millwright_provider::{Credentials, ProviderError};
use parking_lot::Mutex;

use super::cloud::Cloud;

/// More credentials than a process has in use; the one that was used longest ago goes.
const MOST: usize = 256;

/// The newest use last.
#[derive(Debug, Default)]
pub(crate) struct Clouds(Mutex<Vec<Arc<Cloud>>>);

impl Clouds {
    /// The cloud of these credentials.
    pub(crate) fn of(
        &self,
        access: &CloudAccess,
        credentials: &Credentials,
    ) -> Result<Arc<Cloud>, ProviderError> {
        let fingerprint = credentials.fingerprint();
        let mut known = self.0.lock();
        let cloud = match known.iter().position(|cloud| cloud.fingerprint == fingerprint) {
            Some(place) => known.remove(place),
            None => Arc::new(Cloud::new(access, credentials)?),
        };
        if known.len() >= MOST {
            known.remove(0);
        }
        known.push(cloud.clone());
        Ok(cloud)
    }

    /// Forgets what is known by these credentials: the cloud does not know them.
    pub(crate) fn forget(&self, credentials: &Credentials) {
        let fingerprint = credentials.fingerprint();
        self.0.lock().retain(|cloud| cloud.fingerprint != fingerprint);
    }
}
