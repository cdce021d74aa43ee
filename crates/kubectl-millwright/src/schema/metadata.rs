//! The metadata of objects, which CRDs leave to the API server.

use serde_json::{Value, json};

/// The fields of `metadata`. What the API server writes there itself may be empty, as it is in what kubectl prints.
pub(crate) fn schema() -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "object", "additionalProperties": { "type": "string" }, "nullable": true });
    let time = json!({ "type": "string", "nullable": true });
    let number = json!({ "type": "integer", "nullable": true });
    let objects = json!({ "type": "array", "nullable": true, "items": {
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
            "finalizers": { "type": "array", "items": { "type": "string" }, "nullable": true },
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
