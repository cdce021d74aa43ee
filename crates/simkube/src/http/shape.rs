//! How much of an object is sent: all, or its metadata alone.

use serde_json::{Value, json};

/// How much of an object is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Whole,
    Metadata,
}

impl Shape {
    /// Reads an `Accept` header.
    pub(super) fn accepted(header: &str) -> Self {
        if header.contains("as=PartialObjectMetadata") { Self::Metadata } else { Self::Whole }
    }

    pub(crate) fn of_object(self, object: Value) -> Value {
        match self {
            Self::Whole => object,
            Self::Metadata if object["kind"] == "Status" => object,
            Self::Metadata => json!({
                "kind": "PartialObjectMetadata",
                "apiVersion": "meta.k8s.io/v1",
                "metadata": object["metadata"],
            }),
        }
    }

    pub(super) fn of_list(self, mut list: Value) -> Value {
        if self == Self::Whole {
            return list;
        }
        let items = list["items"].as_array_mut().map(std::mem::take).unwrap_or_default();
        json!({
            "kind": "PartialObjectMetadataList",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": list["metadata"],
            "items": items.into_iter().map(|item| self.of_object(item)).collect::<Vec<_>>(),
        })
    }
}
