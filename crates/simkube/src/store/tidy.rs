//! The shape that objects have after the API server has read them: what is empty is not there, and strings of Secrets are data.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};

use crate::{kind::ResourceKind, object};

/// Fields of built-in kinds that are maps and left out when empty; other empty objects mean something (`emptyDir: {}`).
const MAPS: &[&str] = &[
    "labels",
    "annotations",
    "data",
    "binaryData",
    "nodeSelector",
    "matchLabels",
    "capacity",
    "allocatable",
    "disruptedPods",
];

/// Fields of metadata that are numbers.
const NUMBERS: &[&str] = &["generation", "deletionGracePeriodSeconds"];

/// Brings an object that a client has sent into the stored shape.
pub(super) fn tidy(kind: &ResourceKind, object: &mut Value) {
    let metadata = object::metadata(object);
    metadata.shift_remove("managedFields");
    metadata.shift_remove("selfLink");
    metadata.retain(|field, value| {
        !is_empty(value) && (!NUMBERS.contains(&field.as_str()) || *value != json!(0))
    });
    if kind.is_custom() {
        return;
    }
    if kind.plural == "secrets" {
        encode_strings(object);
    }
    if let Some(fields) = object.as_object_mut() {
        prune(fields);
    }
}

fn encode_strings(secret: &mut Value) {
    let strings = secret.as_object_mut().and_then(|fields| fields.shift_remove("stringData"));
    for (key, value) in strings.as_ref().and_then(Value::as_object).into_iter().flatten() {
        let value = STANDARD.encode(value.as_str().unwrap_or_default());
        object::member(secret, "data").insert(key.clone(), json!(value));
    }
    if secret["type"].as_str().unwrap_or_default().is_empty() {
        secret["type"] = json!("Opaque");
    }
}

fn prune(fields: &mut Map<String, Value>) {
    for (field, value) in fields.iter_mut() {
        match value {
            Value::Object(inner) if !MAPS.contains(&field.as_str()) => prune(inner),
            Value::Array(items) => items.iter_mut().filter_map(Value::as_object_mut).for_each(prune),
            _ => {}
        }
    }
    fields.retain(|field, value| match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(inner) => !inner.is_empty() || !MAPS.contains(&field.as_str()),
        _ => true,
    });
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
