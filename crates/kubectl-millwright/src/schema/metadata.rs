//! The metadata of objects, which CRDs leave to the API server.

use serde_json::{Value, json};

/// The fields of `metadata`.
pub(crate) fn schema() -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    let time = json!({ "type": "string" });
    let number = json!({ "type": "integer" });
    let objects = json!({ "type": "array", "items": {
        "type": "object", "x-kubernetes-preserve-unknown-fields": true,
    } });
    json!({
        "type": "object",
        "properties": {
            "name": text,
            "generateName": text,
            "namespace": text,
            "labels": texts,
            "annotations": texts,
            "finalizers": { "type": "array", "items": { "type": "string" } },
            "ownerReferences": objects,
            "creationTimestamp": time,
            "deletionTimestamp": time,
            "deletionGracePeriodSeconds": number,
            "generation": number,
            "resourceVersion": text,
            "selfLink": text,
            "uid": text,
            "managedFields": objects,
        },
    })
}
