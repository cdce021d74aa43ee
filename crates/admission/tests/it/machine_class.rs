//! MachineClasses: provider, Secrets, and the provider's own part.

use millwright_admission::Kind;
use millwright_provider::FieldErrorKind;
use serde_json::{Value, json};

use crate::ask::{accepted, created, lines, refused, told};
use crate::objects::{class, with, without};

fn spec(field: &str, value: Value) -> Value {
    with(class(), &format!("/providerSpec/{field}"), value)
}

#[test]
fn a_class_is_accepted_whatever_the_case_of_its_provider_and_by_each_of_its_names() {
    for name in ["cloud", "Cloud", "NIMBUS"] {
        accepted(Kind::MachineClass, &with(class(), "/provider", json!(name)));
    }
}

#[test]
fn an_unknown_provider_is_refused_with_those_there_are() {
    refused(
        Kind::MachineClass,
        &with(class(), "/provider", json!("clout")),
        &["provider: \"clout\" is not one of cloud; did you mean \"cloud\"?"],
    );
    refused(
        Kind::MachineClass,
        &with(class(), "/provider", json!("AWS")),
        &["provider: \"AWS\" is not one of cloud"],
    );
    refused(Kind::MachineClass, &without(class(), "/provider"), &["provider: must be one of cloud"]);
    refused(Kind::MachineClass, &with(class(), "/provider", json!(3)), &["provider: 3 is not a string"]);
}

#[test]
fn a_missing_provider_spec_is_refused() {
    refused(Kind::MachineClass, &without(class(), "/providerSpec"), &["providerSpec: must be set"]);
    refused(
        Kind::MachineClass,
        &with(class(), "/providerSpec", json!([])),
        &["providerSpec: a list is not an object"],
    );
}

#[test]
fn every_mistake_of_the_provider_spec_is_told_with_path_value_and_what_is_allowed() {
    let mut bad = class();
    bad["providerSpec"] = json!({
        "size": "smal",
        "diskGiB": 0,
        "tags": {"a/b": 1},
        "boot": {"mode": "kubelt"},
        "nics": [{"subnet": "s"}, {}, {"subnet": ""}],
        "address": {"pool": 4}
    });
    let errors = created(Kind::MachineClass, &bad).errors;
    assert_eq!(
        lines(&errors),
        [
            "providerSpec.address.pool: 4 is not a string",
            "providerSpec.boot.mode: \"kubelt\" is not one of kubelet, direct, never; did you mean \"kubelet\"? (How the VM joins)",
            "providerSpec.diskGiB: 0 is too small; the least is 1 (Size of the disk)",
            "providerSpec.nics[1].subnet: must be set to a string",
            "providerSpec.nics[2].subnet: must not be empty",
            "providerSpec.size: \"smal\" is not one of small, medium, large; did you mean \"small\"? (Size of the VM)",
            "providerSpec.tags: must contain the key kubernetes.io/role/node",
            "providerSpec.tags[a/b]: 1 is not a string",
        ]
    );
    let kinds: Vec<_> = errors.iter().map(|error| error.kind).collect();
    assert_eq!(kinds[3], FieldErrorKind::Required);
    assert_eq!(kinds[5], FieldErrorKind::NotSupported);
    refused(
        Kind::MachineClass,
        &with(class(), "/providerSpec", json!({})),
        &[
            "providerSpec.size: must be set to one of small, medium, large (Size of the VM)",
            "providerSpec.tags: must be set to an object (Tags of the VM)",
        ],
    );
}

#[test]
fn a_key_that_may_not_be_is_told_with_the_key() {
    let tags = json!({"kubernetes.io/role/node": "1", "a-key-of-more-than-thirty-characters": "x"});
    refused(
        Kind::MachineClass,
        &spec("tags", tags),
        &[
            "providerSpec.tags: key \"a-key-of-more-than-thirty-characters\" is too long; write at most 30 characters",
        ],
    );
}

#[test]
fn nobody_is_advised_to_write_null_or_an_empty_text() {
    for (field, value, told) in [
        ("spot", json!("yes"), "\"yes\" is not true or false"),
        ("protection", json!("some"), "\"some\" is not one of weak, strong"),
        ("zones", json!([]), "must hold at least one item"),
    ] {
        refused(Kind::MachineClass, &spec(field, value), &[&format!("providerSpec.{field}: {told}")]);
        accepted(Kind::MachineClass, &spec(field, json!(null)));
    }
}

#[test]
fn what_the_schema_said_a_typed_rule_does_not_say_again() {
    refused(
        Kind::MachineClass,
        &spec("size", json!("huge")),
        &["providerSpec.size: \"huge\" is not one of small"],
    );
    refused(
        Kind::MachineClass,
        &spec("diskGiB", json!("x")),
        &["providerSpec.diskGiB: \"x\" is not a whole number"],
    );
}

#[test]
fn a_key_nobody_reads_is_a_warning_with_what_was_meant() {
    let mut object = spec("diskGB", json!(20));
    object["providerSpec"]["boot"] = json!({"dely": "1s"});
    object["providerSpec"]["nics"] = json!([{"subnet": "s", "colour": "red"}]);
    object["providerSpec"]["tags"]["any/thing"] = json!("goes");
    let verdict = created(Kind::MachineClass, &object);
    assert!(verdict.errors.is_empty(), "{:?}", verdict.errors);
    let mut warnings = told(&verdict.warnings);
    warnings.sort();
    assert_eq!(
        warnings,
        [
            "providerSpec.boot.dely: provider cloud has no such field; it is ignored; did you mean \"delay\"? [provider-field-unknown]",
            "providerSpec.diskGB: provider cloud has no such field; it is ignored; did you mean \"diskGiB\"? [provider-field-unknown]",
            "providerSpec.nics[0].colour: provider cloud has no such field; it is ignored [provider-field-unknown]",
        ]
    );
}

#[test]
fn a_class_needs_a_secret_by_name_in_its_own_namespace() {
    refused(
        Kind::MachineClass,
        &without(class(), "/secretRef"),
        &["secretRef: must be set to the Secret that holds the key userData"],
    );
    refused(
        Kind::MachineClass,
        &with(class(), "/secretRef", json!({"name": "", "namespace": "elsewhere"})),
        &[
            "secretRef.name: must be set to the name of a Secret",
            "secretRef.namespace: \"elsewhere\" is not the namespace of the class; only Secrets in \"shoot\" are read",
        ],
    );
    refused(
        Kind::MachineClass,
        &with(class(), "/credentialsSecretRef", json!({"name": "Not A Name"})),
        &["credentialsSecretRef.name: \"Not A Name\" is not a name"],
    );
    let mut shared = without(class(), "/secretRef");
    shared["credentialsSecretRef"] = json!({"name": "shared"});
    accepted(Kind::MachineClass, &shared);
}

#[test]
fn a_node_template_is_complete_or_absent() {
    let good = json!({"capacity": {"cpu": "4", "gpu": 0, "memory": "16Gi"}, "instanceType": "small", "region": "r", "zone": "z"});
    accepted(Kind::MachineClass, &with(class(), "/nodeTemplate", good));
    refused(
        Kind::MachineClass,
        &with(class(), "/nodeTemplate", json!({"capacity": {"cpu": "4"}, "instanceType": ""})),
        &[
            "nodeTemplate.capacity[gpu]: must be set to a quantity; write \"0\" if a node has none",
            "nodeTemplate.capacity[memory]: must be set to a quantity",
            "nodeTemplate.instanceType: must be set to the cloud's name of the size",
            "nodeTemplate.region: must be set to the region of the nodes",
            "nodeTemplate.zone: must be set to the zone of the nodes",
        ],
    );
}
