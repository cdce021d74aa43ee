//! Defaults of the provider spec, as they are written into a class.
//!
//! Nothing is added inside a list the user wrote: what a data disk leaves out is filled in when the spec is read.

use serde_json::{Map, Value, json};

use crate::cloud::Cloud;

/// Fills what was left out; what was written stays, also when it is wrong.
pub(crate) fn add(spec: &mut Value) {
    let Some(spec) = spec.as_object_mut() else { return };
    if let Some(cloud) = object(spec, "cloudConfiguration") {
        fill(cloud, "name", json!(Cloud::default().name()));
    }
    if let Some(group) = spec.get("resourceGroup").filter(|group| group.is_string()).cloned()
        && let Some(subnet) = spec.get_mut("subnetInfo").and_then(Value::as_object_mut)
    {
        fill(subnet, "vnetResourceGroup", group);
    }
    if let Some(properties) = spec.get_mut("properties").and_then(Value::as_object_mut) {
        machine_set(properties);
    }
}

/// The deprecated `machineSet` says where today `availabilitySet` and `virtualMachineScaleSet` do.
fn machine_set(properties: &mut Map<String, Value>) {
    if properties.contains_key("availabilitySet") || properties.contains_key("virtualMachineScaleSet") {
        return;
    }
    let Some(set) = properties.get("machineSet").and_then(Value::as_object) else { return };
    let Some(id) = set.get("id").filter(|id| id.is_string()).cloned() else { return };
    let field = match set.get("kind").and_then(Value::as_str) {
        Some("availabilityset") => "availabilitySet",
        Some("vmo") => "virtualMachineScaleSet",
        _ => return,
    };
    fill(properties, field, json!({ "id": id }));
}

/// The object of that key, made when nothing is there.
fn object<'a>(spec: &'a mut Map<String, Value>, key: &str) -> Option<&'a mut Map<String, Value>> {
    spec.entry(key).or_insert_with(|| json!({})).as_object_mut()
}

fn fill(object: &mut Map<String, Value>, key: &str, default: Value) {
    object.entry(key).or_insert(default);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_filled() {
        let cases = [
            (json!({}), json!({ "cloudConfiguration": { "name": "AzurePublic" } })),
            (
                json!({ "cloudConfiguration": { "name": "AzureChina" }, "resourceGroup": "rg", "subnetInfo": { "vnetName": "v" } }),
                json!({ "cloudConfiguration": { "name": "AzureChina" }, "resourceGroup": "rg",
                        "subnetInfo": { "vnetName": "v", "vnetResourceGroup": "rg" } }),
            ),
            (
                json!({ "cloudConfiguration": null, "properties": { "machineSet": { "id": "/a", "kind": "vmo" } } }),
                json!({ "cloudConfiguration": null, "properties": {
                    "machineSet": { "id": "/a", "kind": "vmo" }, "virtualMachineScaleSet": { "id": "/a" } } }),
            ),
            (
                json!({ "cloudConfiguration": 1, "properties": {
                    "machineSet": { "id": "/a", "kind": "availabilityset" }, "storageProfile": { "dataDisks": [{ "lun": 1 }] } } }),
                json!({ "cloudConfiguration": 1, "properties": {
                    "machineSet": { "id": "/a", "kind": "availabilityset" }, "storageProfile": { "dataDisks": [{ "lun": 1 }] },
                    "availabilitySet": { "id": "/a" } } }),
            ),
            (json!([1]), json!([1])),
        ];
        for (mut written, expected) in cases {
            add(&mut written);
            assert_eq!(written, expected);
            let once = written.clone();
            add(&mut written);
            assert_eq!(written, once, "a second time changes nothing");
        }
    }

    #[test]
    fn a_machine_set_beside_what_replaced_it_is_not_mapped() {
        let mut written = json!({ "properties": { "machineSet": { "id": "/a", "kind": "vmo" }, "availabilitySet": { "id": "/b" } } });
        add(&mut written);
        assert_eq!(written.pointer("/properties/virtualMachineScaleSet"), None);
    }
}
