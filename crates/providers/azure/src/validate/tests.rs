use millwright_provider::Dialect;
use serde_json::json;

use super::*;

fn spec(change: &Value) -> Value {
    let mut spec = json!({
        "location": "westeurope",
        "resourceGroup": "rg",
        "tags": { "kubernetes.io-cluster-c1": "1", "kubernetes.io-role-node": "1" },
        "subnetInfo": { "vnetName": "v", "subnetName": "s" },
        "properties": {
            "hardwareProfile": { "vmSize": "Standard_D2s_v5" },
            "storageProfile": {
                "imageReference": { "urn": "p:o:s:1.0.0" },
                "osDisk": { "createOption": "FromImage", "diskSizeGB": 50 }
            },
            "osProfile": { "adminUsername": "core" },
            "zone": 1
        }
    });
    merge(&mut spec, change);
    spec
}

/// RFC 7396.
fn merge(into: &mut Value, change: &Value) {
    let (Some(object), Some(changes)) = (into.as_object_mut(), change.as_object()) else {
        *into = change.clone();
        return;
    };
    for (key, change) in changes {
        if change.is_null() {
            object.shift_remove(key);
        } else {
            merge(object.entry(key).or_insert(json!({})), change);
        }
    }
}

fn mistakes(new: &Value, old: Option<&Value>) -> Vec<String> {
    let class = |spec| ClassView {
        dialect: Dialect::Gardener,
        name: "small",
        namespace: "demo",
        spec,
        node_template: None,
    };
    let old = old.map(class);
    let mistakes = validate(&class(new), old.as_ref());
    mistakes
        .into_iter()
        .map(|mistake| format!("{} {}", mistake.rule, mistake.field.trim_start_matches("providerSpec.")))
        .collect()
}

fn set(kind: &str) -> String {
    format!("/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/{kind}/x")
}

#[test]
fn each_mistake_is_reported_at_its_field() {
    let disk = |lun: u32| json!({ "lun": lun, "storageAccountType": "Premium_LRS", "diskSizeGB": 1 });
    let image =
        |reference: Value| json!({ "properties": { "storageProfile": { "imageReference": reference } } });
    let properties = |change: Value| json!({ "properties": change });
    let reference = "azure/one-image properties.storageProfile.imageReference";
    let cases = [
        (json!({}), vec![]),
        (json!({ "tags": { "kubernetes.io-role-node": null } }), vec!["azure/cluster-and-role tags"]),
        (json!({ "tags": { "kubernetes.io-cluster-c2": "1" } }), vec!["azure/cluster-and-role tags"]),
        (json!({ "tags": { "machine-uid": "x" } }), vec!["azure/reserved-tag tags[machine-uid]"]),
        (json!({ "tags": { "Team": "x", "team": "y" } }), vec!["azure/tag-twice tags[team]"]),
        (image(json!({ "urn": null })), vec![reference]),
        (image(json!({ "id": "/x" })), vec![reference]),
        (image(json!({ "urn": "p:o:s" })), vec!["azure/urn properties.storageProfile.imageReference.urn"]),
        (
            properties(json!({ "storageProfile": { "dataDisks": [disk(1), disk(2), disk(1)] } })),
            vec!["azure/luns properties.storageProfile.dataDisks[2].lun"],
        ),
        (
            properties(json!({ "storageProfile": { "dataDisks": [
                { "imageRef": {} }, { "lun": 1, "imageRef": { "urn": "p:o:s:latest" } }] } })),
            vec![
                "azure/one-image properties.storageProfile.dataDisks[0].imageRef",
                "azure/data-disk-image properties.storageProfile.dataDisks[1].imageRef.urn",
            ],
        ),
        (properties(json!({ "zone": null })), vec!["azure/one-placement properties"]),
        (
            properties(json!({ "availabilitySet": { "id": set("availabilitySets") } })),
            vec!["azure/one-placement properties"],
        ),
        (
            properties(
                json!({ "zone": null, "machineSet": { "id": set("availabilitySets"), "kind": "availabilityset" } }),
            ),
            vec![],
        ),
        (
            properties(json!({ "zone": null, "virtualMachineScaleSet": { "id": set("availabilitySets") } })),
            vec!["azure/resource-id properties.virtualMachineScaleSet.id"],
        ),
        (
            properties(
                json!({ "capacityReservation": { "capacityReservationGroupID": set("CAPACITYreservationGroups") } }),
            ),
            vec![],
        ),
        (
            properties(
                json!({ "identityID": "identity", "capacityReservation": { "capacityReservationGroupID": "x" } }),
            ),
            vec![
                "azure/resource-id properties.identityID",
                "azure/resource-id properties.capacityReservation.capacityReservationGroupID",
            ],
        ),
        (
            properties(
                json!({ "osProfile": { "linuxConfiguration": { "ssh": { "publicKeys": { "keyData": "ecdsa-sha2-nistp256 x" } } } } }),
            ),
            vec!["azure/ssh-key properties.osProfile.linuxConfiguration.ssh.publicKeys.keyData"],
        ),
        (
            properties(json!({ "diagnosticsProfile": { "enabled": true, "storageURI": "x" } })),
            vec!["azure/storage-uri properties.diagnosticsProfile.storageURI"],
        ),
        // The schema's business.
        (json!({ "tags": [], "properties": 1 }), vec![]),
    ];
    for (change, expected) in cases {
        assert_eq!(mistakes(&spec(&change), None), expected, "{change}");
    }
}

#[test]
fn every_mistake_is_told_at_once() {
    let change = json!({ "tags": { "machine-uid": "x" }, "properties": { "zone": null, "identityID": "i",
        "storageProfile": { "imageReference": { "urn": "p" } } } });
    assert_eq!(mistakes(&spec(&change), None).len(), 4);
}

#[test]
fn cluster_and_role_stay() {
    let old = spec(&json!({}));
    let other =
        spec(&json!({ "tags": { "kubernetes.io-cluster-c1": null, "kubernetes.io-cluster-c2": "1" } }));
    assert_eq!(mistakes(&other, Some(&old)), ["azure/cluster-and-role-stay tags[kubernetes.io-cluster-c2]"]);
}

#[test]
fn resource_group_and_cloud_stay() {
    let old = spec(&json!({}));
    let group = old["resourceGroup"].as_str().unwrap();
    for (change, expected) in [
        (json!({ "resourceGroup": "elsewhere" }), &["azure/resource-group-stays resourceGroup"][..]),
        (
            json!({ "cloudConfiguration": { "name": "AzureChina" } }),
            &["azure/resource-group-stays cloudConfiguration.name"],
        ),
        (json!({ "resourceGroup": group.to_uppercase() }), &[]),
        (json!({ "cloudConfiguration": { "name": "AzurePublic" } }), &[]),
        (json!({ "location": "elsewhere" }), &[]),
    ] {
        assert_eq!(mistakes(&spec(&change), Some(&old)), expected, "{change}");
        assert_eq!(mistakes(&spec(&change), None), [""; 0], "a new class may be anywhere");
    }
}

#[test]
fn keys_are_read_in_any_case() {
    let mut odd = spec(&json!({}));
    let properties = odd.as_object_mut().unwrap().shift_remove("properties").unwrap();
    odd["Properties"] = properties;
    odd["Properties"]["ZONE"] = odd["Properties"].as_object_mut().unwrap().shift_remove("zone").unwrap();
    assert_eq!(mistakes(&odd, None), [""; 0]);
}
