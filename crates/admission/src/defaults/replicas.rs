//! A count of machines, spelled out: autoscalers can't read the size of an object without one.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::replicas;

pub(super) fn with_defaults<'a>(
    old: Option<&Value>,
    field_manager: Option<&str>,
    object: Cow<'a, Value>,
) -> Cow<'a, Value> {
    let spec = object.get("spec").and_then(Value::as_object);
    // Null counts as absent, as it does for Go.
    if spec.is_none_or(|spec| spec.get("replicas").is_some_and(|count| !count.is_null())) {
        return object;
    }
    let count = replicas::meant(old, &object, field_manager);
    let mut object = object.into_owned();
    if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("replicas".to_owned(), json!(count));
    }
    Cow::Owned(object)
}
