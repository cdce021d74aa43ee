//! The Secret on the API server. Every write names the version that was read, so that of two who write one is refused.

use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::PostParams;
use kube::{Api, Client};

use super::content::Content;

/// Access to the Secret. Its values are in memory only, and in no log.
pub(crate) struct Vault {
    api: Api<Secret>,
    name: String,
}

/// The Secret as it was read.
pub(crate) struct Stored {
    metadata: ObjectMeta,
    pub(crate) content: Content,
    /// What of it can't be used.
    pub(crate) faults: Vec<&'static str>,
}

impl Vault {
    pub(crate) fn new(client: &Client, namespace: &str, name: &str) -> Self {
        Self { api: Api::namespaced(client.clone(), namespace), name: name.to_owned() }
    }

    /// What it is called, with its namespace.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Reads it; `None` when there is none.
    pub(crate) async fn read(&self) -> kube::Result<Option<Stored>> {
        let secret = self.api.get_opt(&self.name).await?;
        Ok(secret.map(|secret| {
            let (content, faults) = Content::read(&secret);
            Stored { metadata: secret.metadata, content, faults }
        }))
    }

    /// Creates it, or replaces what was read.
    pub(crate) async fn write(&self, read: Option<Stored>, content: &Content) -> kube::Result<()> {
        let params = PostParams::default();
        match read {
            Some(Stored { metadata, .. }) => {
                self.api.replace(&self.name, &params, &content.write(metadata)).await.map(drop)
            }
            None => {
                let metadata = ObjectMeta { name: Some(self.name.clone()), ..ObjectMeta::default() };
                self.api.create(&params, &content.write(metadata)).await.map(drop)
            }
        }
    }
}
