use serde_json::json;

use super::*;

/// The smallest valid spec, changed at its top level.
fn spec(change: Value) -> Value {
    let mut spec = json!({
        "region": "europe-west1", "zone": "europe-west1-b", "machineType": "n2-standard-2",
        "disks": [{ "boot": true, "image": "projects/p/global/images/i", "sizeGb": 20, "type": "pd-ssd" }],
        "networkInterfaces": [{ "subnetwork": "s" }],
        "scheduling": { "automaticRestart": true, "onHostMaintenance": "MIGRATE" },
        "tags": ["kubernetes-io-cluster-c1", "kubernetes-io-role-node"]
    });
    for (key, value) in change.as_object().unwrap() {
        spec[key] = value.clone();
    }
    spec
}

fn mistakes(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let class = |spec| ClassView {
        dialect: millwright_provider::Dialect::Gardener,
        name: "small",
        namespace: "demo",
        spec,
        node_template: None,
    };
    let old = old.map(class);
    validate(&class(new), old.as_ref())
}

fn fields(new: &Value, old: Option<&Value>) -> Vec<String> {
    let mistakes = mistakes(new, old).into_iter();
    mistakes.map(|mistake| mistake.field.trim_start_matches("providerSpec.").to_owned()).collect()
}

#[test]
fn each_mistake_is_reported_at_its_field() {
    let image = "projects/p/global/images/i";
    let boot = json!({ "boot": true, "image": image });
    let disks = |disk: Value| json!({ "disks": [boot, disk] });
    let cases = [
        (json!({}), vec![]),
        (json!({ "region": "Europe", "zone": "a/b" }), vec!["region", "zone"]),
        (json!({ "zone": "us-east1-b" }), vec!["zone"]),
        (json!({ "zone": "europe-west12-b" }), vec!["zone"]),
        (json!({ "machineType": "zones/z/machineTypes/n2" }), vec!["machineType"]),
        (json!({ "disks": [{ "image": image }] }), vec!["disks"]),
        (json!({ "disks": [boot, boot, boot] }), vec!["disks[1].boot", "disks[2].boot"]),
        (json!({ "disks": [{ "boot": true }] }), vec!["disks[0].image"]),
        (disks(json!({ "type": "SCRATCH", "interface": "NVME" })), vec![]),
        (disks(json!({ "type": "SCRATCH" })), vec!["disks[1].interface"]),
        (disks(json!({ "type": "SCRATCH", "interface": "SATA" })), vec!["disks[1].interface"]),
        (
            json!({ "disks": [{ "boot": true, "type": "SCRATCH", "interface": "SCSI" }] }),
            vec!["disks[0].boot"],
        ),
        (disks(json!({ "encryption": { "kmsKeyName": "k" } })), vec![]),
        (disks(json!({ "encryption": { "kmsKeyName": " " } })), vec!["disks[1].encryption.kmsKeyName"]),
        (
            disks(json!({ "encryption": { "kmsKeyName": "k", "kmsKeyServiceAccount": " \n" } })),
            vec!["disks[1].encryption.kmsKeyServiceAccount"],
        ),
        (disks(json!({ "labels": { "A": "b" } })), vec!["disks[1].labels[A]"]),
        (json!({ "gpu": { "acceleratorType": "t4", "count": 1 } }), vec!["scheduling.onHostMaintenance"]),
        (
            json!({ "scheduling": { "automaticRestart": true, "onHostMaintenance": "MIGRATE", "preemptible": true } }),
            vec!["scheduling.onHostMaintenance", "scheduling.automaticRestart"],
        ),
        (
            json!({ "scheduling": { "onHostMaintenance": "TERMINATE", "preemptible": true }, "gpu": { "acceleratorType": "t4" } }),
            vec![],
        ),
        (json!({ "networkInterfaces": [{ "network": "n" }, {}] }), vec!["networkInterfaces[1]"]),
        (
            json!({ "networkInterfaces": [{ "network": "n", "ipCidrRange": "/33" }] }),
            vec!["networkInterfaces[0].ipCidrRange"],
        ),
        (
            json!({ "networkInterfaces": [{ "network": "n", "ipCidrRange": "10.0.0.0/24" }] }),
            vec!["networkInterfaces[0].ipCidrRange"],
        ),
        (
            json!({ "networkInterfaces": [{ "network": "n", "ipCidrRange": "/+3" }] }),
            vec!["networkInterfaces[0].ipCidrRange"],
        ),
        (
            json!({ "networkInterfaces": [{ "network": "n", "useAliasIPs": true }] }),
            vec!["networkInterfaces[0].ipCidrRange"],
        ),
        (
            json!({ "metadata": [{ "key": "a" }, { "key": "user-data" }, { "key": "a" }] }),
            vec!["metadata[1].key", "metadata[2].key"],
        ),
        (json!({ "labels": { "team": "a", "Team": "a", "x": "B" } }), vec!["labels[Team]", "labels[x]"]),
        (json!({ "labels": { "machine_uid": "x" } }), vec!["labels[machine_uid]"]),
        (json!({ "tags": [] }), vec!["tags", "tags"]),
        (
            json!({ "tags": ["kubernetes-io-cluster-a", "kubernetes-io-cluster-b", "kubernetes-io-role-n"] }),
            vec!["tags"],
        ),
        (json!({ "tags": ["kubernetes-io-cluster-a", "kubernetes-io-role-n", "Web"] }), vec!["tags[2]"]),
        // The schema's business.
        (json!({ "region": 1, "disks": {}, "labels": [], "tags": {}, "metadata": [3], "gpu": 1 }), vec![]),
    ];
    for (change, expected) in cases {
        assert_eq!(fields(&spec(change.clone()), None), expected, "{change}");
    }
}

#[test]
fn all_mistakes_are_told_at_once() {
    let spec = spec(
        json!({ "zone": "x y", "disks": [{}], "networkInterfaces": [{}], "labels": { "A": "" }, "tags": [""] }),
    );
    let expected = ["zone", "disks", "networkInterfaces[0]", "labels[A]", "tags[0]", "tags", "tags"];
    assert_eq!(fields(&spec, None), expected);
}

#[test]
fn the_zone_stays() {
    let old = spec(json!({}));
    let zone = old["zone"].as_str().unwrap().to_owned();
    let other = spec(json!({ "zone": format!("{}-x", zone.rsplit_once('-').unwrap().0) }));
    let found: Vec<_> = mistakes(&other, Some(&old)).into_iter().map(|mistake| mistake.rule).collect();
    assert_eq!(found, [rule_list::ZONE_STAYS.id]);
    assert_eq!(mistakes(&other, None), []);
    assert_eq!(mistakes(&old, Some(&old)), []);
}

#[test]
fn cluster_and_role_stay() {
    let old = spec(json!({}));
    let other = spec(json!({ "tags": ["kubernetes-io-cluster-c2", "kubernetes-io-role-node"] }));
    assert_eq!(fields(&other, Some(&old)), ["tags"]);
    assert_eq!(mistakes(&other, Some(&old))[0].rule, rule_list::CLUSTER_AND_ROLE_STAY.id);
    let reordered = spec(json!({ "tags": ["web", "kubernetes-io-role-node", "kubernetes-io-cluster-c1"] }));
    assert!(fields(&reordered, Some(&old)).is_empty());
}

#[test]
fn keys_in_any_case_are_judged() {
    let spec = spec(json!({ "Metadata": [{ "KEY": "user-data" }] }));
    assert_eq!(fields(&spec, None), ["metadata[0].key"]);
}
