//! Borrowed access to the metadata of any object.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::jiff::Timestamp;
use kube_core::Resource;

/// Reads metadata without copying; what is absent reads as empty.
pub trait ObjectView {
    /// The object's metadata.
    fn object_meta(&self) -> &ObjectMeta;

    /// Name of the object.
    fn name(&self) -> &str {
        self.object_meta().name.as_deref().unwrap_or_default()
    }

    /// Namespace of the object.
    fn namespace(&self) -> &str {
        self.object_meta().namespace.as_deref().unwrap_or_default()
    }

    /// UID of the object.
    fn uid(&self) -> &str {
        self.object_meta().uid.as_deref().unwrap_or_default()
    }

    /// Version of the object's state.
    fn resource_version(&self) -> &str {
        self.object_meta().resource_version.as_deref().unwrap_or_default()
    }

    /// Generation of the object's spec.
    fn generation(&self) -> i64 {
        self.object_meta().generation.unwrap_or_default()
    }

    /// A label's value.
    fn label(&self, key: &str) -> Option<&str> {
        self.object_meta().labels.as_ref()?.get(key).map(String::as_str)
    }

    /// An annotation's value.
    fn annotation(&self, key: &str) -> Option<&str> {
        self.object_meta().annotations.as_ref()?.get(key).map(String::as_str)
    }

    /// Whether a finalizer is on the object.
    fn has_finalizer(&self, finalizer: &str) -> bool {
        self.object_meta().finalizers.iter().flatten().any(|found| found == finalizer)
    }

    /// Its finalizers with this one among them, sorted as Gardener's controllers write them.
    fn finalizers_with(&self, finalizer: &str) -> Vec<String> {
        let mut list = self.finalizers_without(finalizer);
        list.push(finalizer.to_owned());
        list.sort();
        list
    }

    /// Its finalizers but this one.
    fn finalizers_without(&self, finalizer: &str) -> Vec<String> {
        self.object_meta().finalizers.iter().flatten().filter(|found| *found != finalizer).cloned().collect()
    }

    /// When somebody asked for its deletion.
    fn deleted_at(&self) -> Option<Timestamp> {
        self.object_meta().deletion_timestamp.as_ref().map(|time| time.0)
    }

    /// Somebody asked for its deletion.
    fn is_deleting(&self) -> bool {
        self.object_meta().deletion_timestamp.is_some()
    }

    /// When it was created.
    fn created_at(&self) -> Option<Timestamp> {
        self.object_meta().creation_timestamp.as_ref().map(|time| time.0)
    }
}

impl<K: Resource> ObjectView for K {
    fn object_meta(&self) -> &ObjectMeta {
        self.meta()
    }
}
