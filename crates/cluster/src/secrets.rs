//! Reads the Secrets that classes name, when somebody needs one. What is in them is never watched: the watch of Secrets
//! asks for their metadata alone, so that no other Secret of the namespace comes into memory.
//!
//! What was read is kept for a minute, so that a hundred machines of one class cost one request. A changed Secret of the
//! control namespace is read anew at once, for its watch calls [`SecretCache::invalidate`]; one elsewhere within that time.

mod secret_data;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::Secret;
use kube::{Api, Client};
use parking_lot::Mutex;
use tokio::time::Instant;

pub use secret_data::SecretData;

use crate::client::{ControlClient, explain};

/// How long what was read counts.
const KEPT: Duration = Duration::from_secs(60);
/// A Secret that is missing is about to be created, more often than not.
const MISSING_KEPT: Duration = Duration::from_secs(2);

/// A Secret that could not be read. Another time it may be possible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct SecretError {
    reason: String,
}

/// Secrets of the control cluster by namespace and name. Cheap to clone; all clones are the same cache.
#[derive(Clone)]
pub struct SecretCache {
    client: Client,
    slots: Arc<Mutex<Slots>>,
}

/// The lock is held while one caller asks; the others wait for its answer.
type Slot = tokio::sync::Mutex<Option<Entry>>;

/// By namespace and name.
type Slots = HashMap<(String, String), Arc<Slot>>;

#[derive(Clone)]
struct Entry {
    answer: Result<Option<SecretData>, SecretError>,
    at: Instant,
}

impl Entry {
    fn counts_until(&self) -> Instant {
        match &self.answer {
            Ok(Some(_)) => self.at + KEPT,
            Ok(None) => self.at + MISSING_KEPT,
            Err(_) => self.at,
        }
    }
}

impl SecretCache {
    /// An empty cache.
    #[must_use]
    pub fn new(client: &ControlClient) -> Self {
        Self { client: client.0.clone(), slots: Arc::default() }
    }

    /// The data of a Secret; `None` when there is no such Secret.
    ///
    /// # Errors
    /// When the API server gives no answer, or refuses.
    pub async fn get(&self, namespace: &str, name: &str) -> Result<Option<SecretData>, SecretError> {
        let asked = Instant::now();
        let slot = self.slot(namespace, name);
        let mut entry = slot.lock().await;
        if let Some(entry) = &*entry {
            // An answer that came while we waited for it is ours too, whatever it says.
            if entry.at > asked || Instant::now() < entry.counts_until() {
                return entry.answer.clone();
            }
        }
        let answer = self.read(namespace, name).await;
        *entry = Some(Entry { answer: answer.clone(), at: Instant::now() });
        answer
    }

    /// Forgets a Secret: the next [`Self::get`] asks the API server.
    pub fn invalidate(&self, namespace: &str, name: &str) {
        self.slots.lock().remove(&(namespace.to_owned(), name.to_owned()));
    }

    fn slot(&self, namespace: &str, name: &str) -> Arc<Slot> {
        let mut slots = self.slots.lock();
        let key = (namespace.to_owned(), name.to_owned());
        if let Some(slot) = slots.get(&key) {
            return slot.clone();
        }
        // What nobody asks for any more must not stay in memory.
        let now = Instant::now();
        slots.retain(|_, slot| match slot.try_lock() {
            Ok(entry) => entry.as_ref().is_some_and(|entry| now < entry.counts_until()),
            Err(_) => true,
        });
        slots.entry(key).or_default().clone()
    }

    async fn read(&self, namespace: &str, name: &str) -> Result<Option<SecretData>, SecretError> {
        let secrets: Api<Secret> = Api::namespaced(self.client.clone(), namespace);
        match secrets.get_opt(name).await {
            Ok(secret) => Ok(secret.map(SecretData::from)),
            // The decoder's message may quote what it could not decode.
            Err(kube::Error::SerdeError(_)) => {
                Err(SecretError { reason: "the answer could not be decoded".to_owned() })
            }
            Err(error) => Err(SecretError { reason: explain(&error) }),
        }
    }
}

impl fmt::Debug for SecretCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretCache").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
