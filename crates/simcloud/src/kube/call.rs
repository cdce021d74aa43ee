//! One request to an API server, with the verb and resource under which it is counted.

use bytes::Bytes;
use http::Method;
use serde::Serialize;

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) verb: &'static str,
    pub(crate) resource: &'static str,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) content_type: &'static str,
    pub(crate) body: Bytes,
}

impl Call {
    pub(crate) fn get(resource: &'static str, path: String) -> Self {
        Self::new("get", resource, Method::GET, path, "", Bytes::new())
    }

    pub(crate) fn watch(resource: &'static str, path: String) -> Self {
        Self::new("watch", resource, Method::GET, path, "", Bytes::new())
    }

    pub(crate) fn create(resource: &'static str, path: String, object: &impl Serialize) -> Self {
        Self::new("create", resource, Method::POST, path, "application/json", json(object))
    }

    pub(crate) fn delete(resource: &'static str, path: String, options: &impl Serialize) -> Self {
        Self::new("delete", resource, Method::DELETE, path, "application/json", json(options))
    }

    pub(crate) fn merge_patch(resource: &'static str, path: String, patch: &impl Serialize) -> Self {
        Self::new("patch", resource, Method::PATCH, path, "application/merge-patch+json", json(patch))
    }

    /// Merges lists by their keys, as conditions need it.
    pub(crate) fn strategic_patch(resource: &'static str, path: String, patch: &impl Serialize) -> Self {
        Self::new(
            "patch",
            resource,
            Method::PATCH,
            path,
            "application/strategic-merge-patch+json",
            json(patch),
        )
    }

    fn new(
        verb: &'static str,
        resource: &'static str,
        method: Method,
        path: String,
        content_type: &'static str,
        body: Bytes,
    ) -> Self {
        Self { verb, resource, method, path, content_type, body }
    }
}

fn json(object: &impl Serialize) -> Bytes {
    serde_json::to_vec(object).expect("Kubernetes objects have string keys only").into()
}
