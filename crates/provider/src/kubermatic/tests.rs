//! From the written value to what a cloud reads, on an invented cloud with one of every form.

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use super::*;
use crate::{ClassView, Dialect, FieldErrorKind, RuleId};

static VOCABULARY: Vocabulary = Vocabulary {
    cloud_provider: "nimbus",
    vm_name: VmName::Spec,
    operating_systems: &[OperatingSystem::Ubuntu],
    rule: RuleId::new("nimbus/kubermatic"),
    fields: &[
        SpecField::new("token", Form::Text, "token of the account")
            .credential("apiToken")
            .or_env(&["NB_TOKEN", "NB_OLD"]),
        SpecField::new("tenant", Form::Text, "id of the account").account("tenantID"),
        SpecField::new("account", Form::Text, "JSON of the account")
            .credential("accountJSON")
            .written_in(Encoding::Base64OrJson),
        SpecField::new("region", Form::Text, "the region").required().or_env(&["NB_REGION"]),
        SpecField::new("groups", Form::Texts, "security groups"),
        SpecField::new("spot.isWanted", Form::Flag, "whether it may be taken away"),
        SpecField::new("diskSize", Form::PlainInteger, "GiB").required(),
        SpecField::new("assignPublicIP", Form::PlainFlag, "an address"),
        SpecField::new("zones", Form::PlainTexts, "zones"),
        SpecField::new("image", Form::PlainText, "the image"),
        SpecField::new("tags", Form::PlainMap, "tags"),
        SpecField::new("pool", Form::NotServed, "name an address instead"),
    ],
};

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Nimbus {
    region: String,
    disk_size: i64,
    #[serde(default)]
    groups: Vec<String>,
}

fn owner() -> ClusterRole {
    ClusterRole { cluster: "c1".into(), role: "node".into() }
}

fn value(cloud: Value) -> Value {
    json!({ "cloudProvider": "nimbus", "cloudProviderSpec": cloud, "operatingSystem": "ubuntu", "operatingSystemSpec": {} })
}

fn good() -> Value {
    value(json!({ "token": "hush-hush", "region": "r1", "diskSize": 25 }))
}

fn secret(name: &str) -> Reference {
    Reference { source: Source::Secret, namespace: "kube-system".into(), name: name.into(), key: "k".into() }
}

fn resolved(value: &Value, found: &Found) -> Result<Resolved, Vec<String>> {
    resolve(value, &VOCABULARY, &owner(), found)
        .map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect())
}

#[test]
fn a_secret_comes_before_a_config_map_before_the_value_before_the_environment() {
    let reference = |name: &str| json!({ "namespace": "kube-system", "name": name, "key": "k" });
    let map = Reference { source: Source::ConfigMap, ..secret("m") };
    let found = Found::default()
        .with(secret("s"), b"of-secret".to_vec())
        .with(map.clone(), b"of-map".to_vec())
        .with_env("NB_OLD", "of-env")
        .with_env("NB_TOKEN", "");
    let all =
        json!({ "value": "of-value", "secretKeyRef": reference("s"), "configMapKeyRef": reference("m") });
    let cases = [
        (all.clone(), "of-secret"),
        (json!({ "value": "of-value", "secretKeyRef": {}, "configMapKeyRef": reference("m") }), "of-map"),
        (json!({ "value": "of-value", "configMapKeyRef": null }), "of-value"),
        (json!("plain"), "plain"),
        (json!(17), "17"),
        (json!(null), "of-env"),
        (json!(""), "of-env"),
        (json!({}), "of-env"),
    ];
    for (token, wanted) in cases {
        let mut written = good();
        written["cloudProviderSpec"]["token"] = token;
        let resolved = resolved(&written, &found).unwrap();
        assert_eq!(resolved.credentials.text("apiToken"), Some(wanted));
        assert_eq!(resolved.spec["cloudProviderSpec"].get("token"), None, "a credential leaves the spec");
    }
    let mut written = good();
    written["cloudProviderSpec"]["token"] = all;
    assert_eq!(references(&written, &VOCABULARY), [secret("s")]);
}

#[test]
fn every_reference_is_asked_for_once_and_put_in() {
    let reference =
        |name: &str| json!({ "secretKeyRef": { "namespace": "kube-system", "name": name, "key": "k" } });
    let written = value(json!({
        "token": "t", "tenant": "t-1", "REGION": reference("r"), "diskSize": 1, "groups": [reference("g"), "b", reference("r")],
        "spot": { "isWanted": reference("flag") }, "tags": { "secretKeyRef": "mine" },
    }));
    assert_eq!(references(&written, &VOCABULARY), [secret("flag"), secret("g"), secret("r")]);
    let found = Found::default()
        .with(secret("r"), b"r1".to_vec())
        .with(secret("g"), b"g1".to_vec())
        .with(secret("flag"), b"T".to_vec());
    let resolved = resolved(&written, &found).unwrap();
    assert_eq!(resolved.credentials.text("tenantID"), Some("t-1"));
    assert_eq!(
        resolved.spec["cloudProviderSpec"],
        json!({
            "tenant": "t-1", "region": "r1", "groups": ["g1", "b", "r1"], "spot": { "isWanted": true }, "diskSize": 1,
            "tags": { "secretKeyRef": "mine" },
        })
    );
    let class = ClassView {
        dialect: Dialect::Kubermatic,
        name: "m",
        namespace: "n",
        spec: &resolved.spec,
        node_template: None,
    };
    let read = MachineConfig::<Nimbus>::read(&class, &check(class.spec, &VOCABULARY)).unwrap();
    assert_eq!(
        (read.owner, read.operating_system, read.ip_family),
        (owner(), OperatingSystem::Ubuntu, IpFamily::V4)
    );
    assert_eq!(read.cloud.groups, ["g1", "b", "r1"]);
}

#[test]
fn every_mistake_is_told_at_its_path() {
    let reference = json!({ "secretKeyRef": { "namespace": "a", "name": "gone", "key": "k" } });
    let cases: [(Value, &[&str]); 16] = [
        (json!({ "regions": "x" }), &["providerSpec.value.cloudProviderSpec.regions: is no field here"]),
        (
            json!({ "spot": { "wanted": true } }),
            &["providerSpec.value.cloudProviderSpec.spot.wanted: is no field"],
        ),
        (json!({ "spot": 1 }), &["providerSpec.value.cloudProviderSpec.spot: must be an object"]),
        (
            json!({ "diskSize": "25" }),
            &["providerSpec.value.cloudProviderSpec.diskSize: must be a whole number"],
        ),
        (json!({ "zones": ["a", 1] }), &["providerSpec.value.cloudProviderSpec.zones[1]: must be a text"]),
        (
            json!({ "tags": { "a/b": 1 } }),
            &["providerSpec.value.cloudProviderSpec.tags[a/b]: must be a text"],
        ),
        (
            json!({ "assignPublicIP": reference }),
            &["providerSpec.value.cloudProviderSpec.assignPublicIP: must be true"],
        ),
        (json!({ "region": [] }), &["providerSpec.value.cloudProviderSpec.region: is a list"]),
        (
            json!({ "region": { "valeu": "x" } }),
            &["providerSpec.value.cloudProviderSpec.region: has a key \"valeu\""],
        ),
        (
            json!({ "region": { "secretKeyRef": { "name": "x" } } }),
            &["providerSpec.value.cloudProviderSpec.region: has a secretKeyRef without namespace and key"],
        ),
        (json!({ "region": null }), &["providerSpec.value.cloudProviderSpec.region: must be set"]),
        (
            json!({ "region": reference, "groups": [reference] }),
            &[
                "providerSpec.value.cloudProviderSpec.region: key \"k\" of Secret a/gone is not there",
                "providerSpec.value.cloudProviderSpec.groups[0]: key \"k\" of Secret a/gone is not there",
            ],
        ),
        (
            json!({ "spot": { "isWanted": "yes" } }),
            &["providerSpec.value.cloudProviderSpec.spot.isWanted: must be true"],
        ),
        (
            json!({ "pool": "x" }),
            &["providerSpec.value.cloudProviderSpec.pool: is not served here: name an address"],
        ),
        (json!({ "pool": {} }), &["providerSpec.value.cloudProviderSpec.pool: is not served here"]),
        (json!({ "account": "%%" }), &["providerSpec.value.cloudProviderSpec.account: must be base64"]),
    ];
    for (change, wanted) in cases {
        let mut written = good();
        for (key, value) in change.as_object().unwrap() {
            written["cloudProviderSpec"][key] = value.clone();
        }
        let told = resolved(&written, &Found::default()).unwrap_err();
        let fits = told.len() == wanted.len()
            && told.iter().zip(wanted).all(|(told, wanted)| told.starts_with(wanted));
        assert!(fits, "{change}: {told:#?}");
    }
}

#[test]
fn what_stands_beside_the_clouds_part_is_checked_too() {
    let cases: [(&str, Value, &str); 10] = [
        ("cloudProvider", json!("aws"), "providerSpec.value.cloudProvider: \"aws\" must be \"nimbus\""),
        (
            "operatingSystem",
            json!("windows"),
            "providerSpec.value.operatingSystem: \"windows\" is not one of ubuntu",
        ),
        ("operatingSystemSpec", json!(null), "providerSpec.value.operatingSystemSpec: must be there"),
        (
            "network",
            json!({ "ipFamily": "IPv5" }),
            "providerSpec.value.network.ipFamily: \"IPv5\" is not one of IPv4,",
        ),
        ("network", json!({ "dns": { "server": [] } }), "providerSpec.value.network.dns.server: is no field"),
        ("sshPublicKeys", json!(["ssh-rsa"]), "providerSpec.value.sshPublicKeys[0]: must be one line"),
        ("cloudProviderSpec", json!(null), "providerSpec.value.cloudProviderSpec: must be there"),
        ("cloudProviderSpec", json!(3), "providerSpec.value.cloudProviderSpec: must be an object"),
        ("scope", json!({ "cluster": "x", "role": "y" }), "providerSpec.value.scope: is no field"),
        ("sshKeys", json!([]), "providerSpec.value.sshKeys: is no field"),
    ];
    for (field, written, wanted) in cases {
        let mut value = good();
        value[field] = written;
        let told = resolved(&value, &Found::default()).unwrap_err();
        assert!(told.len() == 1 && told[0].starts_with(wanted), "{field}: {told:#?}");
    }
    let mut value = good();
    value["SSHPublicKeys"] = json!(["ssh-ed25519 AAAAC3Nz me@here", "no-pty ecdsa-sha2-nistp256 AAAAE2Vj"]);
    value["network"] = json!({ "ipFamily": "IPv6+IPv4", "dns": { "servers": ["1.1.1.1"] } });
    assert_eq!(check(&value, &VOCABULARY), []);
}

#[test]
fn a_reference_that_leads_nowhere_is_told_although_the_environment_has_a_value() {
    let mut written = good();
    written["cloudProviderSpec"]["token"] =
        json!({ "secretKeyRef": { "namespace": "kube-system", "name": "s", "key": "k" } });
    let found = Found::default().with_env("NB_TOKEN", "hush-hush");
    let mistakes = resolve(&written, &VOCABULARY, &owner(), &found).unwrap_err();
    assert_eq!(mistakes[0].kind, FieldErrorKind::NotFound);
    assert_eq!(mistakes[0].rule.as_str(), "nimbus/kubermatic");
}

#[test]
fn no_secret_is_in_an_error_nor_printed() {
    let hush = b"hush-hush \xff".to_vec();
    let reference = json!({ "secretKeyRef": { "namespace": "kube-system", "name": "s", "key": "k" } });
    let mut written = good();
    written["cloudProviderSpec"]["spot"] = json!({ "isWanted": reference });
    written["cloudProviderSpec"]["account"] = json!("hush-hush");
    let text = Found::default().with(secret("s"), b"hush-hush".to_vec());
    for found in [text, Found::default().with(secret("s"), hush)] {
        let told = format!("{:?} {found:?}", resolve(&written, &VOCABULARY, &owner(), &found).unwrap_err());
        assert!(!told.contains("hush"), "{told}");
    }
    let printed = format!("{:?}", resolve(&good(), &VOCABULARY, &owner(), &Found::default()).unwrap());
    assert!(printed.contains("apiToken") && !printed.contains("hush"), "{printed}");
}

#[test]
fn an_account_is_taken_as_json_or_in_base64() {
    for account in ["{\"type\":\"x\"}", "eyJ0eXBlIjoieCJ9", " eyJ0eXBlIjoieCJ9\n"] {
        let mut written = good();
        written["cloudProviderSpec"]["account"] = json!(account);
        let resolved = resolved(&written, &Found::default()).unwrap();
        assert_eq!(resolved.credentials.text("accountJSON"), Some("{\"type\":\"x\"}"));
    }
}

#[test]
fn a_spec_that_nobody_owns_is_refused() {
    let spec = good();
    let class = ClassView {
        dialect: Dialect::Kubermatic,
        name: "m",
        namespace: "n",
        spec: &spec,
        node_template: None,
    };
    let error = MachineConfig::<Nimbus>::read(&class, &check(class.spec, &VOCABULARY)).unwrap_err();
    assert!(error.message.contains("which cluster and role"), "{error}");
}

#[test]
fn the_schema_takes_what_the_check_takes() {
    let validator = jsonschema::validator_for(&schema(&VOCABULARY)).unwrap();
    let reference = json!({ "secretKeyRef": { "namespace": "a", "name": "b", "key": "c" } });
    let full = value(json!({
        "token": reference, "account": null, "region": 1, "groups": ["a", reference], "spot": { "isWanted": false },
        "diskSize": 3, "assignPublicIP": true, "zones": ["a"], "image": "i", "tags": { "a": "b" }, "pool": "",
    }));
    for (spec, is_good) in [
        (full, true),
        (good(), true),
        (value(json!({ "region": "r" })), false),
        (value(json!({ "region": "r", "diskSize": 1, "x": 1 })), false),
        (value(json!({ "region": { "valeu": 1 }, "diskSize": 1 })), false),
    ] {
        assert_eq!(validator.is_valid(&spec), is_good, "{spec}");
        assert_eq!(check(&spec, &VOCABULARY).is_empty(), is_good, "{spec}");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z]{0,4}".prop_map(Value::from),
    ];
    let key = prop_oneof![
        Just("token".to_owned()),
        Just("region".to_owned()),
        Just("groups".to_owned()),
        Just("spot".to_owned()),
        Just("isWanted".to_owned()),
        Just("value".to_owned()),
        Just("secretKeyRef".to_owned()),
        Just("tags".to_owned()),
        Just("name".to_owned()),
        Just("diskSize".to_owned()),
        Just("cloudProviderSpec".to_owned()),
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key.clone(), inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_is_written_is_answered_and_what_is_taken_can_be_read(cloud in any_json()) {
        let written = value(cloud);
        let _references = references(&written, &VOCABULARY);
        if let Ok(resolved) = resolve(&written, &VOCABULARY, &owner(), &Found::default()) {
            prop_assert_eq!(check(&resolved.spec, &VOCABULARY), vec![]);
            prop_assert!(references(&resolved.spec, &VOCABULARY).is_empty());
        }
    }
}
