//! Defaults of the provider spec that stand outside lists. What a disk or an interface leaves out is filled in when the spec is
//! read, so that nothing is written into what the user wrote.

use serde_json::{Map, Value, json};

/// Fills what was left out; what was written stays, also when it is wrong.
pub(crate) fn add(spec: &mut Value) {
    let Some(spec) = spec.as_object_mut() else { return };
    fill(spec, "canIpForward", json!(false));
    fill(spec, "deletionProtection", json!(false));
    if let Some(scheduling) = written(spec, "scheduling").and_then(Value::as_object_mut) {
        fill(scheduling, "preemptible", json!(false));
    }
}

fn written<'a>(object: &'a mut Map<String, Value>, key: &str) -> Option<&'a mut Value> {
    object.iter_mut().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value)
}

fn fill(object: &mut Map<String, Value>, key: &str, default: Value) {
    if written(object, key).is_none() {
        object.insert(key.to_owned(), default);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_filled_and_lists_stay_as_they_are() {
        let cases = [
            (json!({}), json!({ "canIpForward": false, "deletionProtection": false })),
            (
                json!({ "CanIPForward": true, "deletionProtection": null, "disks": [{}], "scheduling": {} }),
                json!({ "CanIPForward": true, "deletionProtection": null, "disks": [{}], "scheduling": { "preemptible": false } }),
            ),
            (json!([1]), json!([1])),
        ];
        for (mut written, expected) in cases {
            add(&mut written);
            assert_eq!(written, expected);
        }
    }
}
