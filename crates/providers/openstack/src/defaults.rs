//! Defaults of the provider spec, in JSON.
//!
//! The deprecated single fields become their lists where the user wrote no list. What was written stays, also when it is wrong.

use serde_json::{Map, Value, json};

pub(crate) fn add(spec: &mut Value) {
    let Some(spec) = spec.get_mut("spec").and_then(Value::as_object_mut) else { return };
    listed(spec, "subnetID", "subnetIDs");
    listed(spec, "podNetworkCidr", "podNetworkCIDRs");
    spec.entry("rootDiskSize").or_insert_with(|| json!(0));
}

fn listed(spec: &mut Map<String, Value>, one: &str, list: &str) {
    if spec.contains_key(list) {
        return;
    }
    if let Some(value) = spec.get(one).and_then(Value::as_str).filter(|value| !value.is_empty()) {
        let value = json!([value]);
        spec.insert(list.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_field_becomes_its_list_and_lists_stay() {
        let cases = [
            (json!({}), json!({})),
            (json!([1]), json!([1])),
            (json!({ "spec": {} }), json!({ "spec": { "rootDiskSize": 0 } })),
            (
                json!({ "spec": { "subnetID": "s", "podNetworkCidr": "10.0.0.0/8", "rootDiskSize": 9 } }),
                json!({ "spec": {
                    "subnetID": "s", "podNetworkCidr": "10.0.0.0/8", "rootDiskSize": 9,
                    "subnetIDs": ["s"], "podNetworkCIDRs": ["10.0.0.0/8"],
                } }),
            ),
            (
                json!({ "spec": { "subnetID": "s", "subnetIDs": [], "podNetworkCidr": null, "rootDiskSize": null } }),
                json!({ "spec": { "subnetID": "s", "subnetIDs": [], "podNetworkCidr": null, "rootDiskSize": null } }),
            ),
        ];
        for (mut written, expected) in cases {
            add(&mut written);
            assert_eq!(written, expected);
        }
    }
}
