use millwright_provider::Dialect;
use serde_json::json;

use super::*;

pub(crate) fn smallest() -> Value {
    json!({
        "ami": "ami-1", "region": "eu-west-1", "machineType": "m5.large", "iam": { "name": "nodes" },
        "blockDevices": [{ "ebs": { "volumeSize": 50, "volumeType": "gp3" } }],
        "networkInterfaces": [{ "subnetID": "subnet-1", "securityGroupIDs": ["sg-1"] }],
        "tags": { "kubernetes.io/cluster/c1": "1", "kubernetes.io/role/node": "1" }
    })
}

fn spec(change: &Value) -> Value {
    let mut spec = smallest();
    for (key, value) in change.as_object().expect("an object") {
        spec[key] = value.clone();
    }
    spec
}

fn mistakes(new: &Value, old: Option<&Value>) -> Vec<(&'static str, String)> {
    let class = |spec| ClassView {
        dialect: Dialect::Gardener,
        name: "small",
        namespace: "demo",
        spec,
        node_template: None,
    };
    let old = old.map(class);
    let mistakes = validate(&class(new), old.as_ref());
    mistakes.into_iter().map(|mistake| (mistake.rule.as_str(), mistake.field)).collect()
}

#[test]
fn each_mistake_is_reported_at_its_field_under_its_rule() {
    let disk = |name: &str| json!({ "deviceName": name, "ebs": { "volumeSize": 1, "volumeType": "gp3" } });
    let many: Value =
        (0..60).map(|n| (format!("t{n}"), json!("x"))).collect::<serde_json::Map<_, _>>().into();
    let mut many = many;
    many["kubernetes.io/cluster/c1"] = json!("1");
    many["kubernetes.io/role/node"] = json!("1");
    let cases: Vec<(Value, Vec<(&str, &str)>)> = vec![
        (json!({}), vec![]),
        (json!({ "region": "evil.example/" }), vec![("aws/region", "region")]),
        (json!({ "iam": {} }), vec![("aws/instance-profile", "iam")]),
        (json!({ "iam": { "name": "a", "arn": "b" } }), vec![("aws/instance-profile", "iam")]),
        (json!({ "IAM": { "name": "a" } }), vec![]),
        (json!({ "blockDevices": [] }), vec![("aws/root-disk", "blockDevices")]),
        (json!({ "blockDevices": [disk("anything")] }), vec![]),
        (json!({ "blockDevices": [disk("/root"), disk("/dev/sdb"), disk("/dev/xvdcz")] }), vec![]),
        (
            json!({ "blockDevices": [disk("/root"), disk("/root"), disk("/dev/xvdda"), disk("")] }),
            vec![
                ("aws/device-name", "blockDevices[1].deviceName"),
                ("aws/device-name", "blockDevices[2].deviceName"),
                ("aws/device-name", "blockDevices[3].deviceName"),
            ],
        ),
        (
            json!({ "blockDevices": [disk("/dev/sda"), disk("/dev/sdb")] }),
            vec![("aws/root-disk", "blockDevices")],
        ),
        (
            json!({ "blockDevices": [{ "ebs": { "volumeSize": 1, "volumeType": "io2", "kmsKeyID": "k" } }] }),
            vec![("aws/iops", "blockDevices[0].ebs.iops"), ("aws/kms-key", "blockDevices[0].ebs.kmsKeyID")],
        ),
        (
            json!({ "blockDevices": [{ "ebs": { "volumeSize": 1, "volumeType": "io2", "iops": 100, "kmsKeyID": "k", "encrypted": true } }] }),
            vec![],
        ),
        (json!({ "networkInterfaces": [] }), vec![("aws/network-interfaces", "networkInterfaces")]),
        (
            json!({ "networkInterfaces": [{ "subnetID": "s", "securityGroupIDs": [" "] }, { "subnetID": "s", "securityGroupIDs": [] }] }),
            vec![
                ("aws/network-interfaces", "networkInterfaces[0].securityGroupIDs[0]"),
                ("aws/network-interfaces", "networkInterfaces[1].securityGroupIDs"),
            ],
        ),
        (
            json!({ "networkInterfaces": [
                { "subnetID": "s", "securityGroupIDs": ["g"], "deviceIndex": 1 },
                { "subnetID": "s", "securityGroupIDs": ["g"] },
                { "subnetID": "s", "securityGroupIDs": ["g"], "deviceIndex": 1, "networkCardIndex": 1 },
            ] }),
            vec![("aws/device-index", "networkInterfaces[1].deviceIndex")],
        ),
        (
            json!({ "capacityReservation": { "capacityReservationId": "a", "capacityReservationResourceGroupArn": "b" } }),
            vec![("aws/capacity-reservation", "capacityReservation")],
        ),
        (
            json!({ "capacityReservation": { "capacityReservationId": "a", "capacityReservationPreference": "open" } }),
            vec![("aws/capacity-reservation", "capacityReservation.capacityReservationPreference")],
        ),
        (json!({ "spotPrice": "" }), vec![]),
        (json!({ "spotPrice": "cheap" }), vec![("aws/spot-price", "spotPrice")]),
        (
            json!({ "spotPrice": "0.1", "instanceMarketOptions": { "marketType": "capacity-block" } }),
            vec![("aws/market", "instanceMarketOptions.marketType")],
        ),
        (json!({ "cpuOptions": { "coreCount": 2 } }), vec![("aws/cpu-options", "cpuOptions.threadsPerCore")]),
        (json!({ "cpuOptions": { "threadsPerCore": 2 } }), vec![("aws/cpu-options", "cpuOptions.coreCount")]),
        (json!({ "cpuOptions": { "amdSevSnp": "enabled" } }), vec![]),
        (json!({ "placement": { "hostId": "h" } }), vec![("aws/placement-host", "placement.hostId")]),
        (json!({ "placement": { "hostId": "h", "tenancy": "host" } }), vec![]),
        (json!({ "tags": {} }), vec![("aws/cluster-and-role", "tags"), ("aws/cluster-and-role", "tags")]),
        (json!({ "tags": many }), vec![("aws/tags", "tags")]),
        (
            json!({ "tags": { "kubernetes.io/cluster/a": "", "kubernetes.io/role/n": "", "Machine-UID": "x", "aws:x": "" } }),
            vec![("aws/tags", "tags.Machine-UID"), ("aws/tags", "tags[aws:x]")],
        ),
        // The schema's business.
        (json!({ "iam": 1, "blockDevices": {}, "networkInterfaces": 1, "tags": [], "region": 3 }), vec![]),
    ];
    for (change, expected) in cases {
        let expected: Vec<(&str, String)> =
            expected.into_iter().map(|(rule, path)| (rule, format!("providerSpec.{path}"))).collect();
        assert_eq!(mistakes(&spec(&change), None), expected, "{change}");
    }
}

#[test]
fn cluster_role_and_region_stay() {
    let old = spec(&json!({}));
    let moved = spec(&json!({
        "region": "eu-west-2",
        "tags": { "kubernetes.io/cluster/b": "1", "kubernetes.io/role/node": "2" }
    }));
    assert_eq!(
        mistakes(&moved, Some(&old)),
        [
            ("aws/region-stays", "providerSpec.region".to_owned()),
            ("aws/cluster-and-role-stay", "providerSpec.tags[kubernetes.io/cluster/b]".to_owned()),
        ]
    );
    assert!(mistakes(&spec(&json!({ "ami": "ami-2" })), Some(&old)).is_empty());
}

#[test]
fn every_rule_is_listed_once_in_lower_case() {
    let ids: Vec<&str> = rule_list::RULES.iter().map(|rule| rule.id.as_str()).collect();
    let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len());
    assert!(ids.iter().all(|id| id.starts_with("aws/")));
}
