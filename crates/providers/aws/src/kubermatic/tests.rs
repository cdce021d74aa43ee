//! Kubermatic's manifests, and what becomes of them.

use millwright_provider::kubermatic::{ClusterRole, Found, Reference, Source, resolve};
use millwright_provider::{Dialect, SpecRules as _};
use serde_json::{Value, json};

use super::*;
use crate::AwsRules;
use crate::home::{Belonging, IdForm};

fn manifest() -> Value {
    json!({
        "sshPublicKeys": ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 admin"],
        "cloudProvider": "aws",
        "cloudProviderSpec": {
            "accessKeyId": { "secretKeyRef": { "namespace": "kube-system", "name": "machine-controller-aws", "key": "accessKeyId" } },
            "secretAccessKey": { "secretKeyRef": { "namespace": "kube-system", "name": "machine-controller-aws", "key": "secretAccessKey" } },
            "region": "eu-central-1", "availabilityZone": "eu-central-1a", "vpcId": "vpc-1", "subnetId": "subnet-1",
            "securityGroupIDs": ["sg-1"], "instanceProfile": "nodes", "instanceType": "t3.medium", "diskSize": 50, "diskType": "gp2",
            "ebsVolumeEncrypted": false, "tags": { "team": "a" }, "isSpotInstance": false, "assignPublicIP": true,
        },
        "operatingSystem": "ubuntu",
        "operatingSystemSpec": { "distUpgradeOnBoot": false },
    })
}

fn found() -> Found {
    let key = |key: &str| Reference {
        source: Source::Secret,
        namespace: "kube-system".into(),
        name: "machine-controller-aws".into(),
        key: key.into(),
    };
    Found::default()
        .with(key("accessKeyId"), b"AKIAhush".to_vec())
        .with(key("secretAccessKey"), b"hush".to_vec())
}

fn class(spec: &Value, dialect: Dialect) -> ClassView<'_> {
    ClassView { dialect, name: "m-1", namespace: "kube-system", spec, node_template: None }
}

fn resolved(change: &Value) -> Value {
    let mut value = manifest();
    for (key, field) in change.as_object().expect("an object") {
        value["cloudProviderSpec"][key] = field.clone();
    }
    let owner = ClusterRole { cluster: "c1".into(), role: "node".into() };
    resolve(&value, &VOCABULARY, &owner, &found()).expect("it resolves").spec
}

fn read(change: &Value) -> Spec {
    decode(&class(&resolved(change), Dialect::Kubermatic)).expect("a spec")
}

#[test]
fn both_dialects_say_the_same_vm() {
    let gardener = json!({
        "ami": "ami-1", "region": "eu-central-1", "machineType": "t3.medium", "iam": { "name": "nodes" },
        "blockDevices": [{ "ebs": { "volumeSize": 50, "volumeType": "gp2" } }],
        "networkInterfaces": [{ "subnetID": "subnet-1", "securityGroupIDs": ["sg-1"], "associatePublicIPAddress": true }],
        "instanceMetadataOptions": { "httpPutResponseHopLimit": 3 },
        "tags": { "kubernetes.io/cluster/c1": "1", "kubernetes.io/role/node": "1", "team": "a" },
    });
    let gardener = class(&gardener, Dialect::Gardener);
    let mut wanted = Spec::of(&gardener).expect("a spec");
    // What Gardener's dialect can not say: the name of the root disk and the zone; and what each is known by.
    wanted.disks[0].device = Device::Named("/dev/sda1".into());
    wanted.placement =
        Some(Placement { availability_zone: Some("eu-central-1a".into()), ..Placement::default() });
    wanted.home.id_form = IdForm::Zone;
    wanted.home.belonging = Belonging::ScopeOrUid;
    let spec = resolved(&json!({ "ami": "ami-1" }));
    let kubermatic = class(&spec, Dialect::Kubermatic);
    assert_eq!(Spec::of(&kubermatic).expect("a spec"), wanted);
    assert_eq!(AwsRules.scope(&kubermatic).expect("a scope"), AwsRules.scope(&gardener).expect("a scope"));
    assert_eq!(AwsRules.validate(&kubermatic, None), []);
}

#[test]
fn the_credentials_are_those_of_a_gardener_secret() {
    let owner = ClusterRole { cluster: "c1".into(), role: "node".into() };
    let mut value = manifest();
    value["cloudProviderSpec"]["assumeRoleARN"] = json!("arn:aws:iam::123456789012:role/machines");
    let environment =
        found().with_env("AWS_ASSUME_ROLE_EXTERNAL_ID", "x1").with_env("AWS_ACCESS_KEY_ID", "AKIAother");
    let resolved = resolve(&value, &VOCABULARY, &owner, &environment).expect("it resolves");
    let texts = ["providerAccessKeyId", "providerSecretAccessKey", "roleARN", "roleExternalID"]
        .map(|key| resolved.credentials.text(key));
    assert_eq!(
        texts,
        [Some("AKIAhush"), Some("hush"), Some("arn:aws:iam::123456789012:role/machines"), Some("x1")]
    );
    let known: Vec<&str> = AwsRules.secret_keys().iter().map(|key| key.name).collect();
    assert!(VOCABULARY.fields.iter().filter_map(|field| field.secret_key).all(|key| known.contains(&key)));
}

#[test]
fn an_image_is_looked_up_by_operating_system_when_none_is_named() {
    assert_eq!(read(&json!({ "ami": "ami-9" })).image, Image::Id("ami-9".into()));
    let mut spec = resolved(&json!({}));
    for (system, owner, device) in [
        ("ubuntu", "099720109477", "/dev/sda1"),
        ("amzn2", "137112412989", "/dev/xvda"),
        ("rhel", "309956199498", "/dev/sda1"),
        ("flatcar", "075585003325", "/dev/xvda"),
        ("rockylinux", "792107900819", "/dev/sda1"),
    ] {
        spec["operatingSystem"] = json!(system);
        let read = decode(&class(&spec, Dialect::Kubermatic)).expect(system);
        assert!(
            matches!(&read.image, Image::Newest { owner: by, .. } if by == owner),
            "{system}: {:?}",
            read.image
        );
        assert_eq!(read.disks[0].device, Device::Named(device.into()));
    }
}

#[test]
fn what_is_left_out_has_kubermatics_defaults() {
    let spec = read(
        &json!({ "diskType": null, "assignPublicIP": null, "ebsVolumeEncrypted": null, "isSpotInstance": null }),
    );
    assert_eq!((spec.disks[0].volume_type.as_str(), spec.disks[0].encrypted), ("standard", false));
    assert_eq!(spec.network_interfaces[0].associate_public_ip_address, Some(true));
    assert_eq!(spec.network_interfaces[0].ipv6_address_count, None);
    assert_eq!(spec.market, Market::OnDemand);
    let spot = read(
        &json!({ "isSpotInstance": true, "spotInstanceConfig": { "maxPrice": 0.5, "persistentRequest": true } }),
    );
    let lasting = SpotLasting::Persistent { interruption: "stop".into() };
    assert_eq!(spot.market, Market::Spot { max_price: Some("0.5".into()), lasting });
    let mut dual = resolved(&json!({}));
    dual["network"] = json!({ "ipFamily": "IPv4+IPv6" });
    let dual = decode(&class(&dual, Dialect::Kubermatic)).expect("a spec");
    assert_eq!(dual.network_interfaces[0].ipv6_address_count, Some(1));
}

#[test]
fn each_mistake_is_told_at_its_field() {
    for (change, field, rule) in [
        (json!({ "region": null }), "region", FORM),
        (json!({ "securityGroupIDs": [] }), "securityGroupIDs", FORM),
        (json!({ "colour": "red" }), "colour", FORM),
        (json!({ "diskSize": 0 }), "diskSize", DISK),
        (json!({ "diskType": "io9" }), "diskType", DISK),
        (json!({ "diskType": "io1" }), "diskIops", DISK),
        (json!({ "diskType": "io1", "diskIops": 99 }), "diskIops", DISK),
        (json!({ "diskType": "gp3", "diskIops": 2999 }), "diskIops", DISK),
        (json!({ "isSpotInstance": true }), "spotInstanceConfig.maxPrice", SPOT),
        (
            json!({ "spotInstanceConfig": { "interruptionBehavior": "sleep" } }),
            "spotInstanceConfig.interruptionBehavior",
            SPOT,
        ),
        (json!({ "tags": { "Machine-UID": "x" } }), "tags[Machine-UID]", TAGS),
        (json!({ "tags": { "aws:x": "x" } }), "tags[aws:x]", TAGS),
        (
            json!({ "tags": { "kubernetes.io/cluster/other": "x" } }),
            "tags[kubernetes.io/cluster/other]",
            TAGS,
        ),
    ] {
        let mut spec = resolved(&json!({}));
        for (key, value) in change.as_object().expect("an object") {
            spec["cloudProviderSpec"][key] = value.clone();
        }
        let class = class(&spec, Dialect::Kubermatic);
        let mistakes = AwsRules.validate(&class, None);
        let told: Vec<_> = mistakes.iter().map(|mistake| (mistake.field.as_str(), mistake.rule)).collect();
        let path = format!("providerSpec.value.cloudProviderSpec.{field}");
        assert_eq!(told, [(path.as_str(), rule.id)], "{change}");
        assert!(AwsRules.rules().contains(&rule));
        assert!(decode(&class).expect_err("refused").message.contains(&path));
    }
    for good in [
        json!({ "diskType": "gp3" }),
        json!({ "diskType": "gp3", "diskIops": 3000 }),
        json!({ "diskType": "io1", "diskIops": 64000 }),
    ] {
        read(&good);
    }
}

#[test]
fn kubermatics_own_example_is_not_refused() {
    let mut value = manifest();
    let cloud = &mut value["cloudProviderSpec"];
    for (key, written) in [
        ("region", json!("eu-central-1")),
        ("subnetId", json!("subnet-2bff4f43")),
        ("instanceType", json!("t2.micro")),
        ("ami", json!("my-custom-ami")),
        // It names no security group; Kubermatic refuses it for that too.
        ("securityGroupIDs", json!(["sg-1"])),
        // "Only applicable if diskType = io1", and it is gp2.
        ("diskType", json!("gp2")),
        ("diskIops", json!(500)),
        ("assignPublicIP", json!(false)),
        ("tags", json!({ "KubernetesCluster": "6qsm86c2d" })),
    ] {
        cloud[key] = written;
    }
    value["operatingSystemSpec"] = json!({ "disableAutoUpdate": true, "rhsmOfflineToken": "<< token >>" });
    let owner = ClusterRole { cluster: "c1".into(), role: "node".into() };
    let spec = resolve(&value, &VOCABULARY, &owner, &found()).expect("it resolves").spec;
    let spec = decode(&class(&spec, Dialect::Kubermatic)).expect("a spec");
    assert_eq!((spec.disks[0].volume_type.as_str(), spec.disks[0].iops), ("gp2", None));
    assert_eq!(read(&json!({ "diskType": "gp3", "diskIops": 4000 })).disks[0].iops, Some(4000));
}
