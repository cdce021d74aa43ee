//! Kubermatic's manifests, and what becomes of them.

use millwright_provider::kubermatic::{ClusterRole, Found, Resolved, resolve};
use millwright_provider::{Dialect, SpecRules as _};
use serde_json::{Value, json};

use super::*;
use crate::AzureRules;

fn manifest() -> Value {
    json!({
        "cloudProvider": "azure",
        "cloudProviderSpec": {
            "tenantID": "t-1", "clientID": "c-1", "clientSecret": { "value": "hush" },
            "location": "West Europe", "resourceGroup": "RG", "vnetName": "net", "subnetName": "sub",
            "vmSize": "Standard_D2s_v5", "availabilitySet": "set", "securityGroupName": "nsg", "routeTableName": "rt",
            "osDiskSize": 50, "osDiskSKU": "Premium_LRS", "assignPublicIP": false, "tags": { "team": "a" },
        },
        "operatingSystem": "flatcar",
        "operatingSystemSpec": { "provisioningUtility": "ignition" },
        "network": { "ipFamily": "" },
    })
}

fn resolved(change: &Value) -> Resolved {
    let mut value = manifest();
    for (key, field) in change.as_object().unwrap() {
        value["cloudProviderSpec"][key] = field.clone();
    }
    let owner = ClusterRole { cluster: "c1".into(), role: "node".into() };
    resolve(&value, &VOCABULARY, &owner, &Found::default().with_env("AZURE_SUBSCRIPTION_ID", "s-1")).unwrap()
}

fn class(spec: &Value, dialect: Dialect) -> ClassView<'_> {
    ClassView { dialect, name: "m-1", namespace: "kube-system", spec, node_template: None }
}

fn read_with(change: &Value) -> Spec {
    Spec::of(&class(&resolved(change).spec, Dialect::Kubermatic)).unwrap()
}

#[test]
fn both_dialects_say_the_same_vm() {
    let set = "/subscriptions/s-1/resourceGroups/RG/providers/Microsoft.Compute/availabilitySets/set";
    let gardener = json!({
        "location": "westeurope", "resourceGroup": "RG",
        "tags": { "kubernetes.io-cluster-c1": "1", "kubernetes.io-role-node": "1", "team": "a" },
        "subnetInfo": { "vnetName": "net", "subnetName": "sub" },
        "properties": {
            "hardwareProfile": { "vmSize": "Standard_D2s_v5" },
            "storageProfile": {
                "imageReference": {
                    "urn": "kinvolk:flatcar-container-linux-corevm-amd64:stable:4459.2.3", "skipMarketplaceAgreement": true,
                },
                "osDisk": {
                    "createOption": "FromImage", "diskSizeGB": 50, "managedDisk": { "storageAccountType": "Premium_LRS" },
                },
            },
            "osProfile": { "adminUsername": "core", "linuxConfiguration": { "disablePasswordAuthentication": true } },
            "availabilitySet": { "id": set },
        },
    });
    let gardener = class(&gardener, Dialect::Gardener);
    let mut wanted = Spec::of(&gardener).unwrap();
    // What Gardener's dialect can not say, and what each is known by.
    wanted.security_group = Some(
        "/subscriptions/s-1/resourceGroups/RG/providers/Microsoft.Network/networkSecurityGroups/nsg".into(),
    );
    wanted.home.id_form = crate::provider_id::IdForm::ResourceId;
    wanted.home.nic_suffix = "-netiface";
    wanted.home.disk_suffixes = vec!["-0-data-disk".into()];
    let resolved = resolved(&json!({}));
    let kubermatic = class(&resolved.spec, Dialect::Kubermatic);
    assert_eq!(Spec::of(&kubermatic).unwrap(), wanted);
    assert_eq!(AzureRules.scope(&kubermatic).unwrap(), AzureRules.scope(&gardener).unwrap());
    assert_eq!(AzureRules.validate(&kubermatic, None), []);
    let texts =
        ["subscriptionID", "tenantID", "clientID", "clientSecret"].map(|key| resolved.credentials.text(key));
    assert_eq!(texts, [Some("s-1"), Some("t-1"), Some("c-1"), Some("hush")]);
    assert!(!resolved.spec.to_string().contains("hush"));
}

#[test]
fn an_image_is_chosen_by_operating_system_when_none_is_named() {
    let mut spec = resolved(&json!({})).spec;
    for (system, offer, admin, plan) in [
        ("ubuntu", "ubuntu-24_04-lts", "ubuntu", Plan::None),
        ("flatcar", "flatcar-container-linux-corevm-amd64", "core", Plan::None),
        (
            "rhel",
            "rhel-byos",
            "rhel",
            Plan::Given(PurchasePlan {
                name: "rhel-lvm95".into(),
                publisher: "redhat".into(),
                product: "rhel-byos".into(),
            }),
        ),
        (
            "rockylinux",
            "rockylinux-x86_64",
            "rockylinux",
            Plan::Given(PurchasePlan {
                name: "9-base".into(),
                publisher: "resf".into(),
                product: "rockylinux-x86_64".into(),
            }),
        ),
    ] {
        spec["operatingSystem"] = json!(system);
        let read = Spec::of(&class(&spec, Dialect::Kubermatic)).unwrap();
        assert!(
            matches!(&read.image, Image::Marketplace(urn) if urn.offer == offer),
            "{system}: {:?}",
            read.image
        );
        assert_eq!((read.admin.user.as_str(), &read.plan), (admin, &plan));
    }
    let own = read_with(
        &json!({ "imageID": "/subscriptions/x/images/i", "imagePlan": { "name": "a", "publisher": "b", "product": "c" } }),
    );
    assert_eq!(own.image, Image::Id("/subscriptions/x/images/i".into()));
    assert!(matches!(own.plan, Plan::Given(plan) if plan.product == "c"));
    let market = read_with(&json!({ "imageReference": { "publisher": "p", "offer": "o", "sku": "s" } }));
    assert_eq!(market.image, Image::Marketplace(Urn::read("p:o:s:latest").unwrap()));
}

#[test]
fn a_zone_a_data_disk_and_trusted_launch_are_understood() {
    let spec = read_with(&json!({
        "availabilitySet": null, "zones": ["2"], "dataDiskSize": 100, "enableBootDiagnostics": true,
        "enableAcceleratedNetworking": true, "vnetResourceGroup": "other",
        "securityProfile": { "securityType": "TrustedLaunch", "vTpmEnabled": true },
    }));
    assert_eq!(spec.placement, Placement::Zone("2".into()));
    assert_eq!((spec.data_disks[0].size_gib, spec.data_disks[0].storage.as_str()), (100, "Standard_LRS"));
    assert_eq!((spec.accelerated_networking, spec.subnet.resource_group.as_str()), (Some(true), "other"));
    assert!(
        spec.diagnostics.is_some_and(|it| it.enabled)
            && spec.security.is_some_and(|it| it.vtpm == Some(true))
    );
    let none = read_with(
        &json!({ "assignAvailabilitySet": false, "securityProfile": { "securityType": "Standard" } }),
    );
    assert_eq!(none.placement, Placement::Region);
}

#[test]
fn each_mistake_is_told_at_its_field() {
    for (change, field, rule) in [
        (json!({ "vmSize": null }), "vmSize", FORM),
        (json!({ "vmsizes": "x" }), "vmsizes", FORM),
        (json!({ "imageReference": { "publisher": "p", "offer": "o" } }), "imageReference.sku", IMAGE),
        (json!({ "imagePlan": { "name": "p", "product": "o" } }), "imagePlan.publisher", IMAGE),
        (json!({ "osDiskSize": -1 }), "osDiskSize", DISK),
        (json!({ "osDiskSKU": "UltraSSD_LRS" }), "osDiskSKU", DISK),
        (json!({ "dataDiskSKU": "x" }), "dataDiskSKU", DISK),
        (json!({ "dataDiskSKU": "UltraSSD_LRS" }), "dataDiskSKU", NOT_SERVED),
        (json!({ "zones": ["1"] }), "zones", PLACEMENT),
        (json!({ "availabilitySet": null, "zones": ["1", "2"] }), "zones", PLACEMENT),
        (json!({ "subscriptionID": null }), "subscriptionID", PLACEMENT),
        (json!({ "securityProfile": { "securityType": "x" } }), "securityProfile.securityType", SECURITY),
        (json!({ "securityProfile": { "vTpmEnabled": true } }), "securityProfile.securityType", SECURITY),
        (
            json!({ "securityProfile": { "securityType": "Standard", "vTpmEnabled": true } }),
            "securityProfile.vTpmEnabled",
            SECURITY,
        ),
        (json!({ "tags": { "machine-uid": "x" } }), "tags[machine-uid]", TAGS),
        (json!({ "assignPublicIP": true }), "assignPublicIP", NOT_SERVED),
    ] {
        let mut spec = resolved(&json!({})).spec;
        for (key, value) in change.as_object().unwrap() {
            spec["cloudProviderSpec"][key] = value.clone();
        }
        let class = class(&spec, Dialect::Kubermatic);
        let mistakes = AzureRules.validate(&class, None);
        let told: Vec<_> = mistakes.iter().map(|mistake| (mistake.field.as_str(), mistake.rule)).collect();
        let path = format!("providerSpec.value.cloudProviderSpec.{field}");
        assert_eq!(told, [(path.as_str(), rule.id)], "{change}");
        assert!(AzureRules.rules().contains(&rule));
        assert!(Spec::of(&class).unwrap_err().message.contains(&path));
    }
    for (pointer, value, field) in [
        ("operatingSystem", json!("amzn2"), "providerSpec.value.operatingSystem"),
        ("network", json!({ "ipFamily": "IPv4+IPv6" }), "providerSpec.value.network.ipFamily"),
    ] {
        let mut spec = resolved(&json!({})).spec;
        spec[pointer] = value;
        let mistakes = AzureRules.validate(&class(&spec, Dialect::Kubermatic), None);
        assert_eq!(mistakes.iter().map(|mistake| mistake.field.as_str()).collect::<Vec<_>>(), [field]);
    }
}

#[test]
fn standard_security_is_not_left_to_the_default_of_the_subscription() {
    let spec = read_with(&json!({ "securityProfile": { "securityType": "Standard" } }));
    assert_eq!(spec.security.and_then(|it| it.kind).as_deref(), Some("Standard"));
    assert!(read_with(&json!({})).security.is_none());
}

#[test]
fn a_data_disk_is_not_at_another_number_than_kubermatics() {
    assert_eq!(read_with(&json!({ "dataDiskSize": 30 })).data_disks[0].lun, 0);
}

#[test]
fn kubermatics_own_example_is_not_refused() {
    let spec = read_with(&json!({
        "availabilitySet": null, "location": "westeurope", "resourceGroup": "<< YOUR_RESOURCE_GROUP >>",
        "vnetResourceGroup": "<< YOUR_VNET_RESOURCE_GROUP >>", "vmSize": "Standard_F2s_v2", "osDiskSize": 30, "dataDiskSize": 30,
        "vnetName": "<< VNET_NAME >>", "subnetName": "<< SUBNET_NAME >>", "routeTableName": "<< ROUTE_TABLE_NAME >>",
        "imageID": "myImageID", "assignPublicIP": false, "securityGroupName": "my-security-group", "zones": ["1"],
    }));
    assert_eq!((spec.image, spec.placement), (Image::Id("myImageID".into()), Placement::Zone("1".into())));
}
