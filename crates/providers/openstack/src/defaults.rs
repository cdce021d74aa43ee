//! Defaults of the provider spec, in JSON. What was written stays, also when it is wrong.
//!
//! The deprecated single fields are not written into their lists, although they count as entries of those: whoever changes such a field
//! later would have the old value in the list and the new one beside it.

use serde_json::{Value, json};

pub(crate) fn add(spec: &mut Value) {
    let Some(spec) = spec.get_mut("spec").and_then(Value::as_object_mut) else { return };
    spec.entry("rootDiskSize").or_insert_with(|| json!(0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_filled() {
        let cases = [
            (json!({}), json!({})),
            (json!([1]), json!([1])),
            (json!({ "spec": {} }), json!({ "spec": { "rootDiskSize": 0 } })),
            (json!({ "spec": { "rootDiskSize": null } }), json!({ "spec": { "rootDiskSize": null } })),
        ];
        for (mut written, expected) in cases {
            add(&mut written);
            assert_eq!(written, expected);
        }
    }

    #[test]
    fn a_subnet_that_was_changed_does_not_stay_beside_the_new_one() {
        let mut class =
            json!({ "spec": { "subnetID": "before", "podNetworkCidr": "10.0.0.0/8", "rootDiskSize": 9 } });
        let written = class.clone();
        add(&mut class);
        assert_eq!(class, written);
    }
}
