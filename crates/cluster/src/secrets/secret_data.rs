//! The data of a Secret. Printing it prints the names of the keys.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Secret;

/// Keys and values; cheap to clone.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretData(Arc<BTreeMap<String, Vec<u8>>>);

impl From<Secret> for SecretData {
    fn from(secret: Secret) -> Self {
        let data = secret.data.unwrap_or_default();
        Self(Arc::new(data.into_iter().map(|(key, value)| (key, value.0)).collect()))
    }
}

impl Deref for SecretData {
    type Target = BTreeMap<String, Vec<u8>>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl fmt::Debug for SecretData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}
