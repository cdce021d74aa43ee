//! The part of a Secret that is watched: what it is called and what keeps it, never what is in it.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_core::{NamespaceResourceScope, Resource};
use serde::{Deserialize, Deserializer, Serialize};

use crate::wire::trimmed_meta;

/// A core/v1 Secret without its data, which the API server is not even asked for. Never sent back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SecretView {
    /// Object metadata without labels and annotations: kubectl keeps a copy of the data in an annotation, and so may others.
    #[serde(deserialize_with = "bare_meta")]
    pub metadata: ObjectMeta,
}

fn bare_meta<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ObjectMeta, D::Error> {
    Ok(ObjectMeta { labels: None, annotations: None, ..trimmed_meta(deserializer)? })
}

impl Resource for SecretView {
    type DynamicType = ();
    type Scope = NamespaceResourceScope;

    fn metadata_api() -> bool {
        true
    }
    fn kind((): &()) -> Cow<'_, str> {
        "Secret".into()
    }
    fn group((): &()) -> Cow<'_, str> {
        "".into()
    }
    fn version((): &()) -> Cow<'_, str> {
        "v1".into()
    }
    fn plural((): &()) -> Cow<'_, str> {
        "secrets".into()
    }
    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }
    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_are_asked_for_by_their_metadata_alone() {
        assert!(SecretView::metadata_api());
    }

    #[test]
    fn nothing_of_a_secrets_content_is_kept() {
        let secret: SecretView = serde_json::from_value(json!({
            "metadata": {"name": "s", "finalizers": ["a"], "labels": {"l": "hunter2"},
                "annotations": {"backup.example.com/copy": "hunter2"}},
            "data": {"token": "hunter2"},
        }))
        .unwrap();
        assert_eq!(secret.metadata.finalizers.as_deref(), Some(["a".to_owned()].as_slice()));
        assert!(!format!("{secret:?}").contains("hunter2"));
    }
}
