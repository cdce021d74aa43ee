//! Reads and writes the metadata of an object that is kept as JSON.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::refusal::Refusal;

/// A string in metadata; empty when it is not there.
pub(crate) fn meta<'a>(object: &'a Value, field: &str) -> &'a str {
    object["metadata"][field].as_str().unwrap_or_default()
}

/// The metadata, made when it is not there.
pub(crate) fn metadata(object: &mut Value) -> &mut Map<String, Value> {
    member(object, "metadata")
}

/// An object within an object, made when it is not there.
pub(crate) fn member<'a>(object: &'a mut Value, field: &str) -> &'a mut Map<String, Value> {
    if !object.is_object() {
        *object = json!({});
    }
    let slot = &mut object[field];
    if !slot.is_object() {
        *slot = json!({});
    }
    slot.as_object_mut().expect("it was made one just now")
}

/// Puts a field of metadata, or takes it away.
pub(crate) fn put(object: &mut Value, field: &str, value: Option<Value>) {
    put_top(metadata(object), field, value);
}

/// Puts a field, or takes it away.
pub(crate) fn put_top(map: &mut Map<String, Value>, field: &str, value: Option<Value>) {
    match value {
        Some(value) if !value.is_null() => {
            map.insert(field.to_owned(), value);
        }
        _ => {
            map.shift_remove(field);
        }
    }
}

/// The finalizers.
pub(crate) fn finalizers(object: &Value) -> Vec<String> {
    let list = object["metadata"]["finalizers"].as_array();
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The resource version; 0 when there is none.
pub(crate) fn revision(object: &Value) -> u64 {
    meta(object, "resourceVersion").parse().unwrap_or_default()
}

/// The resource version that a client has sent; 0 when there is none.
pub(crate) fn checked_revision(object: &Value) -> Result<u64, Refusal> {
    match meta(object, "resourceVersion") {
        "" => Ok(0),
        text => text.parse().map_err(|_| Refusal::no_version(text)),
    }
}

/// Sets the resource version.
pub(crate) fn set_revision(object: &mut Value, revision: u64) {
    put(object, "resourceVersion", Some(json!(revision.to_string())));
}

/// The generation; 0 when there is none.
pub(crate) fn generation(object: &Value) -> i64 {
    object["metadata"]["generation"].as_i64().unwrap_or_default()
}

/// Whether its deletion has begun.
pub(crate) fn is_deleting(object: &Value) -> bool {
    !meta(object, "deletionTimestamp").is_empty()
}

/// What is left of the grace period's length, when it has one.
pub(crate) fn grace_seconds(object: &Value) -> Option<i64> {
    object["metadata"]["deletionGracePeriodSeconds"].as_i64()
}

/// A time as objects hold it: to the second.
pub(crate) fn wire_time(time: Timestamp) -> Value {
    let seconds = Timestamp::from_second(time.as_second()).unwrap_or(time);
    json!(seconds.to_string())
}

/// Where an object lies in the order of its kind.
pub(crate) fn key(namespace: &str, name: &str) -> String {
    match namespace {
        "" => name.to_owned(),
        namespace => format!("{namespace}/{name}"),
    }
}
