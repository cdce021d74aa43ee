//! Paths of the leaves of a JSON value.

use std::collections::BTreeMap;

use serde_json::Value;

/// Leaves by path, such as `spec.taints[0].key`. Empty lists and objects are leaves too.
pub(crate) fn leaves(value: &Value) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    collect("", value, &mut found);
    found
}

fn collect(path: &str, value: &Value, found: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (key, field) in fields {
                let dot = if path.is_empty() { "" } else { "." };
                collect(&format!("{path}{dot}{key}"), field, found);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                collect(&format!("{path}[{index}]"), item, found);
            }
        }
        leaf => {
            found.insert(path.to_owned(), leaf.clone());
        }
    }
}
