//! One line of a watch.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{http::Shape, kind::ResourceKind, object, refusal::Refusal, selector::Selector};

/// What a change from `before` to `after` is to a watch with a selector: an object can come into view and leave it without being made
/// or deleted. `revision` is that of the change.
pub(super) fn change(
    before: Option<&Arc<Value>>,
    after: Option<&Arc<Value>>,
    revision: u64,
    selector: &Selector,
    shape: Shape,
) -> Option<String> {
    let seen = before.filter(|object| selector.selects(object));
    let shown = after.filter(|object| selector.selects(object));
    match (seen, shown) {
        (None, Some(object)) => Some(line("ADDED", Value::clone(object), shape)),
        (Some(_), Some(object)) => Some(line("MODIFIED", Value::clone(object), shape)),
        (Some(object), None) => {
            let mut last = Value::clone(object);
            object::set_revision(&mut last, revision);
            Some(line("DELETED", last, shape))
        }
        (None, None) => None,
    }
}

/// An object that was there before the watch.
pub(super) fn initial(object: &Value, shape: Shape) -> String {
    line("ADDED", object.clone(), shape)
}

/// What a bookmark says beside how far the watch has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Nothing.
    Progress,
    /// That all was told that was there before the watch.
    InitialEventsEnd,
}

/// How far the watch has come.
pub(super) fn bookmark(kind: &ResourceKind, revision: u64, mark: Mark, shape: Shape) -> String {
    let mut object = json!({
        "kind": kind.kind,
        "apiVersion": kind.api_version(),
        "metadata": { "resourceVersion": revision.to_string(), "creationTimestamp": null },
    });
    if mark == Mark::InitialEventsEnd {
        object["metadata"]["annotations"] = json!({ "k8s.io/initial-events-end": "true" });
    }
    line("BOOKMARK", object, shape)
}

/// The end of a watch that can't be answered.
pub(super) fn error(refusal: &Refusal) -> String {
    format!("{}\n", json!({ "type": "ERROR", "object": refusal.to_status() }))
}

fn line(event: &str, object: Value, shape: Shape) -> String {
    format!("{}\n", json!({ "type": event, "object": shape.of_object(object) }))
}
