//! Reading and merging JSON.

use serde_json::{Map, Value};

/// The text at a pointer; `None` when it is missing, null or empty.
pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str().filter(|text| !text.is_empty())
}

/// The list at a pointer; empty when there is none.
pub(super) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Something that is there and not null.
pub(super) fn present<'a>(value: &'a Value, pointer: &str) -> Option<&'a Value> {
    value.pointer(pointer).filter(|value| !value.is_null())
}

/// Only the fields that a client may write at the top.
pub(super) fn writable(body: &Value) -> Value {
    const COMPUTED: [&str; 5] = ["id", "name", "type", "etag", "managedBy"];
    let fields = body.as_object().cloned().unwrap_or_default();
    let kept: Map<String, Value> = fields
        .into_iter()
        .filter(|(key, value)| !COMPUTED.contains(&key.as_str()) && !value.is_null())
        .collect();
    Value::Object(kept)
}

/// Lays `patch` over `target`: objects are merged, everything else is replaced, null removes.
pub(super) fn merge(target: &mut Value, patch: &Value) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (key, value) in patch {
                if value.is_null() {
                    target.remove(key);
                } else {
                    merge(target.entry(key.clone()).or_insert(Value::Null), value);
                }
            }
        }
        (target, patch) => *target = patch.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_patch_keeps_what_it_does_not_name() {
        let mut target =
            json!({ "tags": { "a": "1" }, "properties": { "x": { "y": 1, "z": 2 }, "l": [1, 2] } });
        merge(&mut target, &json!({ "properties": { "x": { "y": 3, "z": null }, "l": [9] } }));
        assert_eq!(target, json!({ "tags": { "a": "1" }, "properties": { "x": { "y": 3 }, "l": [9] } }));
    }
}
