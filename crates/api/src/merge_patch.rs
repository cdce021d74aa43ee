//! JSON merge patches (RFC 7386) between two states of an object: the smallest write that gets
//! from one to the other, and none at all when they are equal.

use serde_json::{Map, Value};

/// The merge patch from `before` to `after`, or `None` when they are equal.
///
/// Lists are replaced whole, as a merge patch must; send such a patch with the resourceVersion.
#[must_use]
pub fn merge_patch(before: &Value, after: &Value) -> Option<Value> {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            let mut patch = Map::new();
            for key in before.keys().filter(|key| !after.contains_key(*key)) {
                patch.insert(key.clone(), Value::Null);
            }
            for (key, wanted) in after {
                let change = match before.get(key) {
                    Some(found) => merge_patch(found, wanted),
                    None => Some(wanted.clone()),
                };
                if let Some(change) = change {
                    patch.insert(key.clone(), change);
                }
            }
            (!patch.is_empty()).then_some(Value::Object(patch))
        }
        (before, after) if before == after => None,
        (_, after) => Some(after.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn equal_states_need_no_patch() {
        let state = json!({"a": {"b": [1, 2]}, "c": "d"});
        assert_eq!(merge_patch(&state, &state), None);
    }

    #[test]
    fn only_what_changed_is_sent() {
        let before = json!({"a": {"b": 1, "c": 2}, "gone": true, "list": [1]});
        let after = json!({"a": {"b": 1, "c": 3}, "new": {"x": 1}, "list": [1, 2]});
        assert_eq!(
            merge_patch(&before, &after),
            Some(json!({"gone": null, "a": {"c": 3}, "new": {"x": 1}, "list": [1, 2]}))
        );
    }
}
