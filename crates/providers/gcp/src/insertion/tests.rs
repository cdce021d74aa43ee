use millwright_provider::{ClassView, Dialect};

use super::*;

fn made(change: Value, user_data: &str) -> Result<Value, ProviderError> {
    let mut spec = json!({
        "region": "europe-west1", "zone": "europe-west1-b", "machineType": "n2-standard-2",
        "disks": [{ "boot": true, "image": "projects/p/global/images/i", "sizeGb": 20, "type": "pd-ssd", "labels": { "a": "b" } }],
        "networkInterfaces": [{ "subnetwork": "s" }],
        "scheduling": { "automaticRestart": true, "onHostMaintenance": "MIGRATE" },
        "tags": ["kubernetes-io-cluster-c1", "kubernetes-io-role-node"]
    });
    for (key, value) in change.as_object().unwrap() {
        spec[key] = value.clone();
    }
    let class =
        ClassView { dialect: Dialect::Gardener, name: "c", namespace: "n", spec: &spec, node_template: None };
    let scope = crate::scope::of(&class).unwrap();
    let owner = Owner { name: "w-1", uid: "uid-1", project: "p", scope: &scope };
    body(&Spec::of(&class).unwrap(), owner, &UserData::new(user_data.into()))
}

#[test]
fn the_smallest_class_makes_this_vm() {
    let labels = json!({
        "kubernetes-io-cluster-c1": "1", "kubernetes-io-role-node": "1", "machine_name": "w-1", "machine_uid": "uid-1"
    });
    let mut disk_labels = labels.clone();
    disk_labels["a"] = json!("b");
    let expected = json!({
        "name": "w-1",
        "machineType": "zones/europe-west1-b/machineTypes/n2-standard-2",
        "canIpForward": false,
        "deletionProtection": false,
        "disks": [{
            "autoDelete": true, "boot": true,
            "initializeParams": {
                "diskSizeGb": "20", "diskType": "zones/europe-west1-b/diskTypes/pd-ssd",
                "labels": disk_labels, "sourceImage": "projects/p/global/images/i"
            }
        }],
        "networkInterfaces": [{ "subnetwork": "regions/europe-west1/subnetworks/s", "accessConfigs": [{ "type": "ONE_TO_ONE_NAT" }] }],
        "labels": labels,
        "tags": { "items": ["kubernetes-io-cluster-c1", "kubernetes-io-role-node"] },
        "metadata": { "items": [{ "key": "user-data", "value": "#cloud-config" }] },
        "scheduling": { "automaticRestart": true, "onHostMaintenance": "MIGRATE", "preemptible": false }
    });
    assert_eq!(made(json!({}), "#cloud-config").unwrap(), expected);
}

#[test]
fn a_vm_whose_class_says_nothing_of_restarts_is_not_restarted() {
    let scheduling = json!({ "scheduling": { "onHostMaintenance": "MIGRATE" } });
    assert_eq!(made(scheduling, "#cloud-config").unwrap()["scheduling"]["automaticRestart"], false);
}

#[test]
fn a_script_and_a_configuration_go_where_they_are_read() {
    for (text, key) in [
        ("#cloud-config\n", "user-data"),
        ("{\"ignition\":{}}", "user-data"),
        ("Content-Type: multipart/mixed; boundary=x", "user-data"),
        ("#!/bin/bash\n", "startup-script"),
        ("echo", "startup-script"),
    ] {
        assert_eq!(made(json!({}), text).unwrap()["metadata"]["items"][0]["key"], key, "{text}");
    }
    let error =
        made(json!({ "metadata": [{ "key": "startup-script", "value": "x" }] }), "#!/bin/sh").unwrap_err();
    assert_eq!(error.code, MachineCode::InvalidArgument);
}

#[test]
fn alias_ranges_need_no_stack_type() {
    let nic = json!({ "network": "n", "useAliasIPs": true, "ipCidrRange": "/24", "subnetworkRangeName": "pods", "disableExternalIP": true });
    let body = made(json!({ "networkInterfaces": [nic] }), "").unwrap();
    let expected = json!([{ "network": "projects/p/global/networks/n", "aliasIpRanges": [{ "ipCidrRange": "/24", "subnetworkRangeName": "pods" }] }]);
    assert_eq!(body["networkInterfaces"], expected);
}

/// The interface of the class that machine-controller-manager's provider shows as its sample.
#[test]
fn an_interface_of_both_ip_versions_does_not_lose_its_range_for_pods() {
    let nic = json!({
        "network": "n", "subnetwork": "s", "stackType": "IPV4_IPV6", "ipv6accessType": "EXTERNAL",
        "ipCidrRange": "/24", "subnetworkRangeName": "pods"
    });
    let body = made(json!({ "networkInterfaces": [nic] }), "").unwrap();
    let expected = json!([{ "ipCidrRange": "/24", "subnetworkRangeName": "pods" }]);
    assert_eq!(body["networkInterfaces"][0]["aliasIpRanges"], expected);
    let without = json!({ "subnetwork": "s", "stackType": "IPV4_IPV6" });
    let body = made(json!({ "networkInterfaces": [without] }), "").unwrap();
    assert_eq!(body["networkInterfaces"][0].get("aliasIpRanges"), None);
}

#[test]
fn both_ip_versions_with_an_address_of_each() {
    let nic = json!({ "subnetwork": "projects/host/regions/r/subnetworks/s", "stackType": "IPV4_IPV6", "ipv6accessType": "EXTERNAL" });
    let body = made(json!({ "networkInterfaces": [nic] }), "").unwrap();
    assert_eq!(body["networkInterfaces"][0]["subnetwork"], "projects/host/regions/r/subnetworks/s");
    assert_eq!(
        body["networkInterfaces"][0]["ipv6AccessConfigs"],
        json!([{ "type": "DIRECT_IPV6", "networkTier": "PREMIUM" }])
    );
}

#[test]
fn a_disk_that_is_to_stay_does_not_look_left_over() {
    let disks = json!([
        { "boot": true, "image": "i" },
        { "autoDelete": false, "type": "hyperdisk-balanced", "labels": { "a": "b" }, "provisionedIops": 3000, "provisionedThroughput": 140,
          "storagePool": "pool", "encryption": { "kmsKeyName": " k\n" } },
        { "type": "SCRATCH", "interface": "NVME" }
    ]);
    let body = made(json!({ "disks": disks }), "").unwrap();
    let kept = &body["disks"][1];
    assert_eq!(kept["initializeParams"]["labels"], json!({ "a": "b" }));
    assert_eq!(kept["initializeParams"]["provisionedIops"], "3000");
    assert_eq!(kept["diskEncryptionKey"], json!({ "kmsKeyName": "k" }));
    let scratch = json!({
        "autoDelete": true, "type": "SCRATCH", "interface": "NVME",
        "initializeParams": { "diskType": "zones/europe-west1-b/diskTypes/local-ssd" }
    });
    assert_eq!(body["disks"][2], scratch);
}

#[test]
fn accelerators_accounts_and_features_are_sent() {
    let body = made(
        json!({
            "gpu": { "acceleratorType": "t4", "count": 2 },
            "scheduling": { "onHostMaintenance": "TERMINATE", "preemptible": true, "automaticRestart": false },
            "serviceAccounts": [{ "email": "e", "scopes": ["s"] }],
            "shieldedInstanceConfiguration": { "secureBoot": true },
            "advancedMachineFeatures": { "enableNestedVirtualization": true },
            "minCpuPlatform": "Intel Ice Lake", "description": "d"
        }),
        "",
    )
    .unwrap();
    assert_eq!(
        body["guestAccelerators"],
        json!([{ "acceleratorType": "projects/p/zones/europe-west1-b/acceleratorTypes/t4", "acceleratorCount": 2 }])
    );
    assert_eq!(body["shieldedInstanceConfig"], json!({ "enableSecureBoot": true }));
    assert_eq!(body["serviceAccounts"], json!([{ "email": "e", "scopes": ["s"] }]));
    assert_eq!(body["advancedMachineFeatures"], json!({ "enableNestedVirtualization": true }));
    assert_eq!(
        body["scheduling"],
        json!({ "automaticRestart": false, "onHostMaintenance": "TERMINATE", "preemptible": true })
    );
}
