//! Every rule broken once, and the paths that say so.

use serde_json::json;

use super::*;

fn spec(change: Value) -> Value {
    let mut spec = json!({
        "imageName": "img", "region": "R1", "availabilityZone": "nova", "flavorName": "m1", "keyName": "k",
        "networkID": "n", "podNetworkCIDRs": ["100.96.0.0/11"], "securityGroups": ["sg"],
        "tags": { "kubernetes.io-cluster-c1": "1", "kubernetes.io-role-node": "1" },
    });
    for (key, value) in change.as_object().unwrap() {
        spec[key] = value.clone();
    }
    json!({ "apiVersion": schema::API_VERSION, "kind": schema::KIND, "spec": spec })
}

fn fields(new: &Value, old: Option<&Value>) -> Vec<String> {
    let fields = gardener(new, old).into_iter().map(|mistake| mistake.field);
    fields.map(|field| field.trim_start_matches("providerSpec.spec.").to_owned()).collect()
}

#[test]
fn each_mistake_is_reported_at_its_field() {
    let cases = [
        (json!({}), vec![]),
        (json!({ "imageName": null, "imageID": "i" }), vec![]),
        (json!({ "imageName": "" }), vec!["imageName"]),
        (json!({ "networkID": null }), vec!["networkID"]),
        (json!({ "networks": [{ "id": "x" }] }), vec!["networks"]),
        (
            json!({ "networkID": null, "networks": [{}, { "id": "x", "name": "y" }, { "name": "z", "podNetwork": true }] }),
            vec!["networks[0]", "networks[1]"],
        ),
        (
            json!({ "networkID": null, "networks": [{ "id": "x", "podNetwork": true }], "podNetworkCIDRs": [] }),
            vec!["networks[0].podNetwork", "podNetworkCIDRs"],
        ),
        (json!({ "subnetIDs": ["a", ""] }), vec!["subnetIDs[1]"]),
        (json!({ "networkID": null, "networks": [{ "id": "x" }], "subnetID": "s" }), vec!["subnetID"]),
        (json!({ "podNetworkCIDRs": null }), vec!["podNetworkCIDRs"]),
        (json!({ "podNetworkCIDRs": null, "podNetworkCidr": "10.0.0.0/8" }), vec![]),
        (json!({ "podNetworkCIDRs": ["10.0.0.0/8", "10.0.0.0"] }), vec!["podNetworkCIDRs[1]"]),
        (json!({ "rootDiskType": "ssd" }), vec!["rootDiskSize"]),
        (json!({ "rootDiskType": "ssd", "rootDiskSize": 20 }), vec![]),
        (json!({ "tags": {} }), vec!["tags", "tags"]),
        (
            json!({ "tags": { "kubernetes.io-cluster-a": "", "kubernetes.io-role-n": "", "machine-uid": "x" } }),
            vec!["tags.machine-uid"],
        ),
        (json!({ "NetworkId": "a", "networkID": null, "networks": [] }), vec!["networkID"]),
        // The schema's business.
        (json!({ "tags": [], "networkID": 7, "networks": [{ "id": "x" }], "rootDiskSize": "big" }), vec![]),
    ];
    for (change, expected) in cases {
        assert_eq!(fields(&spec(change.clone()), None), expected, "{change}");
    }
}

#[test]
fn cluster_role_and_region_stay() {
    let old = spec(json!({}));
    let tags = json!({ "kubernetes.io-cluster-c2": "1", "kubernetes.io-role-node": "2" });
    assert_eq!(fields(&spec(json!({ "tags": tags })), Some(&old)), ["tags[kubernetes.io-cluster-c2]"]);
    assert_eq!(fields(&spec(json!({ "region": "R2" })), Some(&old)), ["region"]);
    assert!(fields(&spec(json!({ "flavorName": "m2" })), Some(&old)).is_empty());
}
