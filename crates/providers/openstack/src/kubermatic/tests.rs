//! Kubermatic's manifests, and what becomes of them.

use millwright_provider::kubermatic::{ClusterRole, Found, Resolved, resolve};
use millwright_provider::{Dialect, SpecRules as _};
use serde_json::{Value, json};

use super::*;
use crate::OpenStackRules;
use crate::home::FindBy;
use crate::provider_id::IdForm;

fn manifest() -> Value {
    json!({
        "cloudProvider": "openstack",
        "cloudProviderSpec": {
            "identityEndpoint": "https://keystone.example/v3", "username": "u", "password": { "value": "hush" },
            "domainName": "Default", "tenantName": "", "tokenId": "",
            "image": "img", "flavor": "m1", "securityGroups": ["sg"], "network": "net", "subnet": "sub", "floatingIpPool": "",
            "availabilityZone": "nova", "rootDiskSizeGB": 50, "instanceReadyCheckPeriod": "5s",
            "trustDevicePath": false, "nodeVolumeAttachLimit": 20, "tags": { "team": "a" },
        },
        "operatingSystem": "ubuntu",
        "operatingSystemSpec": {},
    })
}

fn resolved(change: &Value) -> Resolved {
    let mut value = manifest();
    for (key, field) in change.as_object().unwrap() {
        value["cloudProviderSpec"][key] = field.clone();
    }
    let owner = ClusterRole { cluster: "c1".into(), role: "node".into() };
    let environment = Found::default()
        .with_env("OS_REGION_NAME", "R1")
        .with_env("OS_TENANT_NAME", "p")
        .with_env("OS_USERNAME", "other");
    resolve(&value, &VOCABULARY, &owner, &environment).unwrap()
}

fn class(spec: &Value, dialect: Dialect) -> ClassView<'_> {
    ClassView { dialect, name: "m-1", namespace: "kube-system", spec, node_template: None }
}

fn read_with(change: &Value) -> Spec {
    Spec::of(&class(&resolved(change).spec, Dialect::Kubermatic)).unwrap()
}

#[test]
fn both_dialects_say_the_same_server() {
    let gardener = json!({
        "apiVersion": "openstack.machine.gardener.cloud/v1alpha1", "kind": "MachineProviderConfig",
        "spec": {
            "imageName": "img", "region": "R1", "availabilityZone": "nova", "flavorName": "m1", "keyName": "k",
            "networks": [{ "name": "net" }], "podNetworkCIDRs": ["100.96.0.0/11"], "securityGroups": ["sg"], "rootDiskSize": 50,
            "tags": { "kubernetes.io-cluster-c1": "1", "kubernetes.io-role-node": "1", "team": "a" },
        },
    });
    let gardener = class(&gardener, Dialect::Gardener);
    let mut wanted = Spec::of(&gardener).unwrap();
    // What Gardener's dialect must say and Kubermatic's can not, and what each is known by.
    wanted.key_name = None;
    wanted.pod_cidrs = Vec::new();
    wanted.image = Named::Either("img".into());
    let net = AttachedNetwork { network: Named::Either("net".into()), traffic: Traffic::Nodes };
    wanted.networks = Networks::Attached(vec![net]);
    wanted.home.id_form = IdForm::WithoutRegion;
    wanted.home.find_by = FindBy::Uid;
    let resolved = resolved(&json!({}));
    let kubermatic = class(&resolved.spec, Dialect::Kubermatic);
    assert_eq!(Spec::of(&kubermatic).unwrap(), wanted);
    assert_eq!(OpenStackRules.scope(&kubermatic).unwrap(), OpenStackRules.scope(&gardener).unwrap());
    assert_eq!(OpenStackRules.validate(&kubermatic, None), []);
    let texts = ["authURL", "username", "password", "domainName", "tenantName", "tenantID"]
        .map(|key| resolved.credentials.text(key));
    let wanted = ["https://keystone.example/v3", "u", "hush", "Default", "p"].map(Some);
    assert_eq!((&texts[..5], texts[5]), (&wanted[..], None));
    assert!(!resolved.spec.to_string().contains("hush"));
    let known: Vec<&str> = OpenStackRules.secret_keys().iter().map(|key| key.name).collect();
    assert!(VOCABULARY.fields.iter().filter_map(|field| field.secret_key).all(|key| known.contains(&key)));
}

#[test]
fn what_is_left_out_has_kubermatics_defaults() {
    let spec = read_with(&json!({
        "securityGroups": [], "networks": ["other", "net"], "rootDiskSizeGB": null, "rootDiskVolumeType": "ssd", "configDrive": true,
    }));
    assert_eq!(spec.security_groups, ["kubernetes-v1"]);
    let attach =
        |name: &str| AttachedNetwork { network: Named::Either(name.into()), traffic: Traffic::Nodes };
    assert_eq!(spec.networks, Networks::Attached(vec![attach("net"), attach("other")]));
    assert_eq!((spec.root_disk, spec.config_drive), (RootDisk::OfFlavor, Some(true)));
    let typed = read_with(&json!({ "rootDiskVolumeType": "ssd" }));
    assert_eq!(typed.root_disk, RootDisk::Volume { gib: 50, volume_type: "ssd".into() });
}

#[test]
fn each_mistake_is_told_at_its_field() {
    for (change, field, rule) in [
        (json!({ "image": null }), "image", FORM),
        (json!({ "region": "" }), "region", FORM),
        (json!({ "flavour": "x" }), "flavour", FORM),
        (json!({ "tokenId": "hush" }), "tokenId", FORM),
        (json!({ "floatingIpPool": "ext" }), "floatingIpPool", FORM),
        (json!({ "network": "" }), "networks", NETWORK),
        (json!({ "rootDiskSizeGB": -1 }), "rootDiskSizeGB", DISK),
        (json!({ "disablePortSecurity": true }), "disablePortSecurity", NOT_SERVED),
        (json!({ "tags": { "machine-uid": "x" } }), "tags[machine-uid]", TAGS),
        (json!({ "tags": { "kubernetes.io-cluster-x": "x" } }), "tags[kubernetes.io-cluster-x]", TAGS),
    ] {
        let mut spec = resolved(&json!({})).spec;
        for (key, value) in change.as_object().unwrap() {
            spec["cloudProviderSpec"][key] = value.clone();
        }
        let class = class(&spec, Dialect::Kubermatic);
        let mistakes = OpenStackRules.validate(&class, None);
        let told: Vec<_> = mistakes.iter().map(|mistake| (mistake.field.as_str(), mistake.rule)).collect();
        let path = format!("providerSpec.value.cloudProviderSpec.{field}");
        assert_eq!(told, [(path.as_str(), rule.id)], "{change}");
        assert!(!format!("{mistakes:?}").contains("hush"));
        assert!(OpenStackRules.rules().contains(&rule));
        assert!(Spec::of(&class).unwrap_err().message.contains(&path));
    }
}
