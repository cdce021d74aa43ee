//! Kubermatic's manifests, and what becomes of them.

use millwright_provider::kubermatic::{ClusterRole, Found, Resolved, resolve};
use millwright_provider::{ClassView, Dialect, SpecRules as _};
use serde_json::{Value, json};

use super::*;
use crate::GcpRules;
use crate::home::KnownBy;
use crate::provider_id::IdForm;
use crate::spec::{Scheduling, ServiceAccount, Spec, UserDataKey};

/// `{"type":"service_account","project_id":"p-json"}`
const ACCOUNT: &str = "eyJ0eXBlIjoic2VydmljZV9hY2NvdW50IiwicHJvamVjdF9pZCI6InAtanNvbiJ9";

fn manifest() -> Value {
    json!({
        "cloudProvider": "gce",
        "cloudProviderSpec": {
            "serviceAccount": "", "projectID": "p-1", "zone": "europe-west1-b", "machineType": "n2-standard-2", "diskSize": 20,
            "diskType": "pd-ssd", "network": "net", "subnetwork": "sub", "preemptible": false, "automaticRestart": true,
            "assignPublicIPAddress": true, "multizone": false, "regional": false, "labels": { "team": "a" }, "tags": ["web"],
            "disableMachineServiceAccount": true,
        },
        "operatingSystem": "flatcar",
        "operatingSystemSpec": {},
    })
}

fn resolved(change: &Value) -> Resolved {
    let mut value = manifest();
    for (key, field) in change.as_object().unwrap() {
        value["cloudProviderSpec"][key] = field.clone();
    }
    let owner = ClusterRole { cluster: "c1".into(), role: "node".into() };
    resolve(&value, &VOCABULARY, &owner, &Found::default().with_env("GOOGLE_SERVICE_ACCOUNT", ACCOUNT))
        .unwrap()
}

fn class(spec: &Value, dialect: Dialect) -> ClassView<'_> {
    ClassView { dialect, name: "m-1", namespace: "kube-system", spec, node_template: None }
}

fn read_with(change: &Value) -> Spec {
    Spec::of(&class(&resolved(change).spec, Dialect::Kubermatic)).unwrap()
}

#[test]
fn both_dialects_say_the_same_vm() {
    let gardener = json!({
        "region": "europe-west1", "zone": "europe-west1-b", "machineType": "n2-standard-2",
        "disks": [{
            "boot": true, "image": "projects/kinvolk-public/global/images/family/flatcar-stable", "sizeGb": 20, "type": "pd-ssd",
        }],
        "networkInterfaces": [{ "network": "net", "subnetwork": "sub" }],
        "scheduling": { "automaticRestart": true, "onHostMaintenance": "MIGRATE" },
        "labels": { "team": "a" },
        "tags": ["web", "kubernetes-io-cluster-c1", "kubernetes-io-role-node"],
    });
    let gardener = class(&gardener, Dialect::Gardener);
    let mut wanted = Spec::of(&gardener).unwrap();
    // What Gardener's dialect can not say, and what each is known by.
    wanted.home.project = Some("p-1".into());
    wanted.home.id_form = IdForm::TwoSlashes;
    wanted.user_data_key = UserDataKey::UserData;
    wanted.home.known_by = KnownBy::Uid;
    let resolved = resolved(&json!({}));
    let kubermatic = class(&resolved.spec, Dialect::Kubermatic);
    assert_eq!(Spec::of(&kubermatic).unwrap(), wanted);
    let (ours, theirs) = (GcpRules.scope(&gardener).unwrap(), GcpRules.scope(&kubermatic).unwrap());
    assert_eq!((&theirs.cluster, &theirs.role), (&ours.cluster, &ours.role));
    // Gardener's credentials name the project, Kubermatic's class does.
    assert_eq!(theirs.location, format!("p-1/{}", ours.location));
    assert_eq!(GcpRules.validate(&kubermatic, None), []);
    let texts = ["serviceAccountJSON", "projectID"].map(|key| resolved.credentials.text(key));
    assert_eq!(texts, [Some(r#"{"type":"service_account","project_id":"p-json"}"#), Some("p-1")]);
    assert_eq!(resolved.spec["cloudProviderSpec"].get("serviceAccount"), None);
}

#[test]
fn a_zone_of_two_projects_is_never_taken_for_one_list() {
    let scope = |project: Value| {
        let resolved = resolved(&json!({ "projectID": project }));
        GcpRules.scope(&class(&resolved.spec, Dialect::Kubermatic)).unwrap()
    };
    assert_ne!(scope(json!("p-1")), scope(json!("p-2")));
    assert_ne!(scope(json!("p-1")), scope(json!(null)));
}

#[test]
fn what_is_left_out_has_kubermatics_defaults() {
    let spec = read_with(&json!({
        "diskSize": null, "diskType": null, "network": null, "subnetwork": null, "automaticRestart": null,
        "assignPublicIPAddress": null, "labels": null, "tags": null, "projectID": null, "disableMachineServiceAccount": null,
    }));
    assert_eq!((spec.disks[0].size_gb, spec.disks[0].kind.as_str()), (25, "pd-standard"));
    let nic = &spec.network_interfaces[0];
    assert_eq!((nic.network.as_str(), nic.disable_external_ip), ("global/networks/default", false));
    assert_eq!((spec.scheduling.automatic_restart, spec.home.project), (None, None));
    let subnet = read_with(&json!({ "network": null }));
    assert_eq!(subnet.network_interfaces[0].network, "");
    assert!(matches!(spec.service_accounts.as_slice(), [ServiceAccount { email, .. }] if email.is_empty()));
}

#[test]
fn a_vm_runs_as_the_account_that_makes_it_and_in_gardeners_dialect_never() {
    use std::collections::BTreeMap;

    use millwright_provider::Credentials;
    let json = json!({
        "type": "external_account", "project_id": "p-1", "audience": "//iam.googleapis.com/x", "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
        "token_url": "https://sts.googleapis.com/v1/token",
        "service_account_impersonation_url": "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/robot@p-1.iam.gserviceaccount.com:generateAccessToken",
        "credential_source": { "file": "/var/run/secrets/gardener.cloud/workload-identity/token" },
    });
    let secret = BTreeMap::from([("serviceAccountJSON".to_owned(), json.to_string().into_bytes())]);
    let credentials = Credentials::merge([secret]);
    let mut spec = read_with(&json!({ "disableMachineServiceAccount": false }));
    name_caller(&mut spec, &credentials).unwrap();
    assert_eq!(spec.service_accounts[0].email, "robot@p-1.iam.gserviceaccount.com");
    spec.service_accounts[0].email.clear();
    spec.home.known_by = KnownBy::Scope;
    name_caller(&mut spec, &credentials).unwrap();
    assert_eq!(spec.service_accounts[0].email, "");
    let mut none = read_with(&json!({}));
    name_caller(&mut none, &Credentials::default()).unwrap();
    assert!(none.service_accounts.is_empty());
}

#[test]
fn a_vm_that_may_be_taken_away_is_not_restarted() {
    let scheduling = |model: Option<&str>, preemptible| Scheduling {
        automatic_restart: Some(false),
        on_host_maintenance: "TERMINATE".into(),
        preemptible,
        provisioning_model: model.map(str::to_owned),
    };
    let preemptible = read_with(&json!({ "preemptible": true, "automaticRestart": null }));
    assert_eq!(preemptible.scheduling, scheduling(None, true));
    let spot = read_with(&json!({ "provisioningModel": "SPOT", "automaticRestart": false }));
    assert_eq!(spot.scheduling, scheduling(Some("SPOT"), false));
}

#[test]
fn an_own_image_may_be_a_path_or_a_name() {
    for (image, wanted) in [
        ("projects/other/global/images/i", "projects/other/global/images/i"),
        (
            "https://www.googleapis.com/compute/v1/projects/p/global/images/i",
            "https://www.googleapis.com/compute/v1/projects/p/global/images/i",
        ),
        ("mine", "global/images/mine"),
    ] {
        assert_eq!(read_with(&json!({ "customImage": image })).disks[0].image, wanted);
    }
    let mut rhel = resolved(&json!({ "customImage": "mine" })).spec;
    rhel["operatingSystem"] = json!("rhel");
    rhel["network"] = json!({ "ipFamily": "IPv4+IPv6" });
    let spec = Spec::of(&class(&rhel, Dialect::Kubermatic)).unwrap();
    assert_eq!(spec.network_interfaces[0].stack_type, "IPV4_IPV6");
}

#[test]
fn each_mistake_is_told_at_its_field() {
    for (change, field, rule) in [
        (json!({ "zone": null }), "zone", FORM),
        (json!({ "colour": "red" }), "colour", FORM),
        (json!({ "zone": "z" }), "zone", PLACE),
        (json!({ "zone": "../x-b" }), "zone", PLACE),
        (json!({ "machineType": "zones/x" }), "machineType", PLACE),
        (json!({ "diskSize": 0 }), "diskSize", DISK),
        (json!({ "diskType": "pd-fast" }), "diskType", DISK),
        (json!({ "provisioningModel": "CHEAP" }), "provisioningModel", SCHEDULING),
        (json!({ "preemptible": true }), "automaticRestart", SCHEDULING),
        (
            json!({ "preemptible": true, "automaticRestart": null, "provisioningModel": "STANDARD" }),
            "provisioningModel",
            SCHEDULING,
        ),
        (json!({ "labels": { "machine_uid": "x" } }), "labels[machine_uid]", LABELS),
        (json!({ "labels": { "Team": "x" } }), "labels[Team]", LABELS),
        (json!({ "tags": ["kubernetes-io-cluster-x"] }), "tags[0]", LABELS),
        (json!({ "tags": ["web", "Web"] }), "tags[1]", LABELS),
    ] {
        let mut spec = resolved(&json!({})).spec;
        for (key, value) in change.as_object().unwrap() {
            spec["cloudProviderSpec"][key] = value.clone();
        }
        let class = class(&spec, Dialect::Kubermatic);
        let mistakes = GcpRules.validate(&class, None);
        let told: Vec<_> = mistakes.iter().map(|mistake| (mistake.field.as_str(), mistake.rule)).collect();
        let path = format!("providerSpec.value.cloudProviderSpec.{field}");
        assert_eq!(told, [(path.as_str(), rule.id)], "{change}");
        assert!(GcpRules.rules().contains(&rule));
        assert!(Spec::of(&class).unwrap_err().message.contains(&path));
    }
    for (pointer, value, field, rule) in [
        ("operatingSystem", json!("rhel"), "providerSpec.value.operatingSystem", IMAGE),
        ("network", json!({ "ipFamily": "IPv6" }), "providerSpec.value.network.ipFamily", NETWORK),
    ] {
        let mut spec = resolved(&json!({})).spec;
        spec[pointer] = value;
        let mistakes = GcpRules.validate(&class(&spec, Dialect::Kubermatic), None);
        let told: Vec<_> = mistakes.iter().map(|mistake| (mistake.field.as_str(), mistake.rule)).collect();
        assert_eq!(told, [(field, rule.id)]);
    }
}

#[test]
fn a_cluster_whose_name_is_no_network_tag_is_refused() {
    let mut spec = resolved(&json!({})).spec;
    spec["scope"]["cluster"] = json!("Shoot.1");
    let error = Spec::of(&class(&spec, Dialect::Kubermatic)).unwrap_err();
    assert!(error.message.contains("kubernetes-io-cluster-Shoot.1"), "{error}");
}

#[test]
fn a_vm_without_a_public_address_has_no_public_ipv6_either() {
    for (assigned, stack, access) in [(true, "IPV4_IPV6", "EXTERNAL"), (false, "", "")] {
        let mut spec = resolved(&json!({ "assignPublicIPAddress": assigned })).spec;
        spec["network"] = json!({ "ipFamily": "IPv4+IPv6" });
        let spec = Spec::of(&class(&spec, Dialect::Kubermatic)).unwrap();
        let nic = &spec.network_interfaces[0];
        assert_eq!((nic.stack_type.as_str(), nic.ipv6_access_type.as_str()), (stack, access));
        assert_eq!(nic.disable_external_ip, !assigned);
    }
}

#[test]
fn kubermatics_own_example_is_not_refused() {
    let spec = read_with(&json!({
        "zone": "europe-west3-a", "projectID": "", "machineType": "n1-standard-2", "diskSize": 50, "network": "my-cool-network",
        "subnetwork": "my-cool-subnetwork", "preemptible": false, "automaticRestart": null, "diskType": "pd-standard",
        "labels": { "kubernetes_cluster": "my-cluster" }, "assignPublicIPAddress": true, "customImage": "myCustomImage",
        "disableMachineServiceAccount": false, "enableNestedVirtualization": false, "minCPUPlatform": "Intel Haswell",
        "guestOSFeatures": ["VIRTIO_SCSI_MULTIQUEUE", "GVNIC"],
    }));
    assert_eq!(spec.disks[0].guest_os_features, ["VIRTIO_SCSI_MULTIQUEUE", "GVNIC"]);
    assert_eq!((spec.disks[0].image.as_str(), spec.home.project), ("global/images/myCustomImage", None));
}
