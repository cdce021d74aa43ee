use serde_json::json;

use super::*;

fn read(spec: &Value) -> Result<Spec, ProviderError> {
    Spec::of(&ClassView {
        dialect: Dialect::Gardener,
        name: "small",
        namespace: "demo",
        spec,
        node_template: None,
    })
}

fn smallest() -> Value {
    json!({
        "region": "europe-west1", "zone": "europe-west1-b", "machineType": "n2-standard-2",
        "disks": [{ "boot": true, "image": "projects/p/global/images/i", "sizeGb": 20, "type": "pd-ssd" }],
        "networkInterfaces": [{ "subnetwork": "s" }],
        "scheduling": { "automaticRestart": true, "onHostMaintenance": "MIGRATE" },
        "tags": ["kubernetes-io-cluster-c1", "kubernetes-io-role-node"]
    })
}

#[test]
fn a_class_that_was_never_defaulted_has_the_defaults() {
    let mut written = smallest();
    let spec = read(&written).unwrap();
    assert_eq!((spec.disks[0].auto_delete, spec.can_ip_forward), (AutoDelete(true), false));
    crate::defaults::add(&mut written);
    assert_eq!(read(&written).unwrap(), spec);
}

#[test]
fn null_is_what_was_left_out_and_keys_match_without_case() {
    let mut written = smallest();
    let spec = read(&written).unwrap();
    for key in ["gpu", "labels", "metadata", "description", "serviceAccounts", "APIVersion", "canIPForward"] {
        written[key] = Value::Null;
    }
    written["disks"][0]["autoDelete"] = Value::Null;
    assert_eq!(read(&written).unwrap(), spec);
}

#[test]
fn every_field_of_the_gardener_dialect_is_read() {
    let mut written = smallest();
    for (key, value) in json!({
        "apiVersion": "mcm.gardener.cloud/v1alpha1", "canIpForward": true, "deletionProtection": true, "description": "d",
        "gpu": { "acceleratorType": "t4", "count": 2 }, "labels": { "a": "b" }, "metadata": [{ "key": "k", "value": "v" }, { "key": "l" }],
        "minCpuPlatform": "Intel Ice Lake", "serviceAccounts": [{ "email": "e", "scopes": ["s"] }],
        "shieldedInstanceConfiguration": { "integrityMonitoring": true, "secureBoot": false, "vtpm": true },
        "advancedMachineFeatures": { "enableNestedVirtualization": true },
        "networkInterfaces": [{
            "disableExternalIP": true, "network": "n", "subnetwork": "s", "stackType": "IPV4_IPV6", "ipv6accessType": "EXTERNAL",
            "useAliasIPs": true, "ipCidrRange": "/24", "subnetworkRangeName": "pods"
        }]
    }).as_object().unwrap() {
        written[key] = value.clone();
    }
    let spec = read(&written).unwrap();
    let nic = &spec.network_interfaces[0];
    assert!(nic.disable_external_ip && nic.use_alias_ips);
    assert_eq!((nic.ipv6_access_type.as_str(), nic.ip_cidr_range.as_str()), ("EXTERNAL", "/24"));
    assert_eq!(spec.metadata[1].value, None);
    assert_eq!(spec.gpu.unwrap().count, 2);
    assert_eq!(spec.shielded_instance_configuration.unwrap().secure_boot, Some(false));
    assert_eq!(spec.advanced_machine_features.enable_nested_virtualization, Some(true));
}

#[test]
fn a_spec_that_cannot_be_read_names_class_and_reason() {
    let mut bad = smallest();
    bad["zone"] = json!("../../../x");
    for spec in [json!({ "zone": 7 }), bad] {
        let error = read(&spec).unwrap_err();
        assert_eq!(error.code, MachineCode::InvalidArgument);
        assert!(error.message.starts_with("class demo/small: providerSpec: "), "{error}");
    }
}
