//! Gives a provider spec that was filled with defaults the spelling of its keys back that its author chose: a patch must not
//! rewrite what somebody wrote, nor add a field a second time because it was written in another case.

use serde_json::{Map, Value};

/// `canonical` came of `written`, and `filled` of `canonical`: keys that were respelt on the way are respelt back.
pub(crate) fn spelled_as(written: &Value, canonical: &Value, filled: Value) -> Value {
    match (written, canonical, filled) {
        (Value::Object(written), Value::Object(canonical), Value::Object(filled)) => {
            let pairs = filled.into_iter();
            Value::Object(pairs.map(|(key, value)| field(written, canonical, key, value)).collect())
        }
        (Value::Array(written), Value::Array(canonical), Value::Array(filled)) => {
            let mut originals = written.iter().zip(canonical);
            let item = |filled| match originals.next() {
                Some((written, canonical)) => spelled_as(written, canonical, filled),
                None => filled,
            };
            Value::Array(filled.into_iter().map(item).collect())
        }
        (_, _, filled) => filled,
    }
}

fn field(
    written: &Map<String, Value>,
    canonical: &Map<String, Value>,
    key: String,
    filled: Value,
) -> (String, Value) {
    let Some(before) = canonical.get(&key) else { return (key, filled) };
    let is_respelt = |name: &String| name.eq_ignore_ascii_case(&key) && !canonical.contains_key(name);
    let original = match written.get(&key) {
        Some(same) => Some((key.clone(), same)),
        // Of several the last one counts.
        None => written
            .keys()
            .rfind(|name| is_respelt(name))
            .and_then(|name| Some((name.clone(), written.get(name)?))),
    };
    match original {
        Some((name, written)) => (name, spelled_as(written, before, filled)),
        None => (key, filled),
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use millwright_provider::canonical_keys;
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_addition_is_new() {
        let schema = json!({ "properties": {
            "boot": { "properties": { "mode": {}, "delay": {} } },
            "tags": { "additionalProperties": {} },
            "nics": { "items": { "properties": { "subnet": {} } } },
        } });
        let written = json!({
            "Boot": { "MODE": "never" }, "tags": { "Boot": "x" }, "NICS": [{ "Subnet": 1 }], "x": 1, "NICs": [{ "SUBNET": 2 }],
        });
        let canonical = canonical_keys(&written, &schema);
        assert!(matches!(canonical, Cow::Owned(_)));
        let mut filled = canonical.clone().into_owned();
        filled["boot"]["delay"] = json!("1s");
        filled["new"] = json!({ "Boot": 1 });
        let back = spelled_as(&written, &canonical, filled);
        let mut wanted = written.clone();
        wanted["Boot"]["delay"] = json!("1s");
        wanted["new"] = json!({ "Boot": 1 });
        assert_eq!(back, wanted);
        assert_eq!(spelled_as(&written, &canonical, canonical.clone().into_owned()), written);
    }
}
