//! Keys of a provider spec in another case of letters: they mean the same, and stay as they were written.

use millwright_admission::{Change, Kind};
use serde_json::{Value, json};

use crate::ask::{accepted, created, lines, patch, request, told, updated};
use crate::objects::{class, with};

fn class_with(spec: Value) -> Value {
    with(class(), "/providerSpec", spec)
}

fn after_defaults(object: &Value) -> Value {
    let mut after = object.clone();
    if let Some(patch) = patch(&request(Kind::MachineClass, Change::Create { new: object })) {
        json_patch::patch(&mut after, &patch).unwrap();
    }
    after
}

#[test]
fn a_key_in_another_case_is_the_same_field_and_no_unknown_one() {
    accepted(
        Kind::MachineClass,
        &class_with(json!({
            "Size": "small", "TAGS": {"kubernetes.io/role/node": "1"}, "DiskGib": 3, "Nics": [{"SUBNET": "a"}],
            "BOOT": {"Mode": "direct"}, "Address": {"Pool": "a"},
        })),
    );
}

#[test]
fn mistakes_are_told_at_the_fields_as_they_were_written() {
    let object = class_with(json!({
        "SIZE": "smal", "Tags": {"kubernetes.io/role/node": 7}, "NICs": [{"subnet": "a"}, {"Subnet": ""}, {}],
        "Boot": {"MODE": "never", "dely": "1s"},
    }));
    let verdict = created(Kind::MachineClass, &object);
    let errors: Vec<String> = verdict.errors.iter().map(|error| error.field.clone()).collect();
    assert_eq!(
        errors,
        [
            "providerSpec.NICs[1].Subnet",
            "providerSpec.NICs[2].subnet",
            "providerSpec.SIZE",
            "providerSpec.Tags[kubernetes.io/role/node]",
        ],
        "{:#?}",
        lines(&verdict.errors)
    );
    assert_eq!(
        told(&verdict.warnings),
        [
            "providerSpec.Boot.dely: provider cloud has no such field; it is ignored; did you mean \"delay\"? [provider-field-unknown]"
        ]
    );
}

#[test]
fn the_exact_spelling_counts_and_the_other_one_is_told_as_ignored() {
    let object =
        class_with(json!({"Size": "huge", "size": "small", "tags": {"kubernetes.io/role/node": "1"}}));
    let verdict = created(Kind::MachineClass, &object);
    assert_eq!(lines(&verdict.errors), Vec::<String>::new());
    assert_eq!(
        told(&verdict.warnings),
        [
            "providerSpec.Size: provider cloud has no such field; it is ignored; did you mean \"size\"? [provider-field-unknown]"
        ]
    );
}

#[test]
fn a_default_never_adds_a_second_spelling_of_a_field() {
    let tags = json!({"kubernetes.io/role/node": "1"});
    let full = class_with(json!({"size": "small", "Tags": tags, "DISKGIB": 7, "Boot": {"Mode": "never"}}));
    assert_eq!(after_defaults(&full), full, "all is there");

    let half = class_with(json!({"size": "small", "Tags": tags, "DISKGIB": 7, "BOOT": {}}));
    let mut wanted = half.clone();
    wanted["providerSpec"]["BOOT"] = json!({"mode": "kubelet"});
    assert_eq!(after_defaults(&half), wanted, "the addition goes into what is there, and nothing is respelt");
}

#[test]
fn a_field_that_must_stay_may_change_its_spelling_only() {
    let tags = json!({"kubernetes.io/role/node": "1"});
    let old = class_with(json!({"size": "small", "tags": tags, "boot": {"mode": "direct"}}));
    let respelt = class_with(json!({"size": "small", "tags": tags, "Boot": {"MODE": "direct"}}));
    assert_eq!(lines(&updated(Kind::MachineClass, &old, &respelt).errors), Vec::<String>::new());
    let changed = class_with(json!({"size": "small", "tags": tags, "Boot": {"MODE": "never"}}));
    let fields: Vec<String> =
        updated(Kind::MachineClass, &old, &changed).errors.into_iter().map(|error| error.field).collect();
    assert_eq!(fields, ["providerSpec.Boot.MODE"]);
}
