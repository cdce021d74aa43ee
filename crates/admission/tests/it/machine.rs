//! Machines.

use millwright_admission::{Change, Kind, Verdict, validate};
use serde_json::{Value, json};

use crate::ask::{KnownClasses, accepted, created, refused, request, rulebook, told, updated};
use crate::objects::{machine, with, without};

fn spoiled(field: &str, value: Value) -> Value {
    with(machine(), &format!("/spec/{field}"), value)
}

#[test]
fn a_machine_with_every_field_set_well_is_accepted() {
    let mut full = machine();
    full["spec"] = json!({
        "class": {"apiGroup": "machine.sapcloud.io", "kind": "MachineClass", "name": "small"},
        "providerID": "cloud:///x/1",
        "drainTimeout": "2h0m0s", "healthTimeout": "10m", "creationTimeout": "0s",
        "inPlaceUpdateTimeout": "1.5h", "machinePreserveTimeout": "96h0m0s",
        "maxEvictRetries": 0, "disableHealthTimeout": false,
        "nodeConditions": "KernelDeadlock,ReadonlyFilesystem",
        "nodeTemplate": {
            "metadata": {"creationTimestamp": null, "labels": {"a.b/c": ""}, "annotations": {"A.b/c": "any text"}},
            "spec": {"taints": [
                {"key": "a", "value": "b", "effect": "NoSchedule"},
                {"key": "a", "effect": "NoExecute"}
            ]}
        }
    });
    accepted(Kind::Machine, &full);
}

#[test]
fn what_go_leaves_empty_or_null_is_accepted() {
    let mut sparse = machine();
    sparse["metadata"]["name"] = json!("");
    sparse["metadata"]["generateName"] = json!("m-");
    sparse["spec"]["nodeTemplate"] =
        json!({"metadata": {"creationTimestamp": null, "labels": null}, "spec": {}});
    sparse["spec"]["drainTimeout"] = Value::Null;
    sparse["spec"]["nodeConditions"] = json!("");
    sparse["status"] = json!({"currentStatus": {"lastUpdateTime": null}});
    accepted(Kind::Machine, &sparse);
}

#[test]
fn a_machine_without_class_is_refused() {
    refused(Kind::Machine, &without(machine(), "/spec/class"), &["spec.class: must be set"]);
    refused(Kind::Machine, &without(machine(), "/spec"), &["spec.class: must be set"]);
    refused(
        Kind::Machine,
        &spoiled("class", json!({})),
        &["spec.class.kind: must be one of MachineClass", "spec.class.name: must be set to the name"],
    );
    refused(
        Kind::Machine,
        &spoiled("class", json!({"kind": "AWSMachineClass", "name": "Small"})),
        &[
            "spec.class.kind: \"AWSMachineClass\" is not one of MachineClass",
            "spec.class.name: \"Small\" is not a name; use",
        ],
    );
}

#[test]
fn each_of_the_five_durations_must_parse() {
    let durations = [
        "creationTimeout",
        "drainTimeout",
        "healthTimeout",
        "inPlaceUpdateTimeout",
        "machinePreserveTimeout",
    ];
    let mut all = machine();
    for name in durations {
        for bad in ["10", "5 m", "-1s", "1d", ""] {
            refused(
                Kind::Machine,
                &spoiled(name, json!(bad)),
                &[&format!("spec.{name}: {bad:?} is not a duration; write a number with a unit")],
            );
        }
        refused(Kind::Machine, &spoiled(name, json!(10)), &[&format!("spec.{name}: 10 is not a string")]);
        all["spec"][name] = json!("soon");
    }
    let expected = durations.map(|name| format!("spec.{name}: \"soon\" is not a duration"));
    refused(Kind::Machine, &all, &expected.each_ref().map(String::as_str));
}

#[test]
fn node_conditions_that_would_never_match_are_refused() {
    for bad in ["KernelDeadlock, DiskPressure", "A,,B", "A,", " A"] {
        refused(
            Kind::Machine,
            &spoiled("nodeConditions", json!(bad)),
            &[&format!("spec.nodeConditions: {bad:?} holds ")],
        );
    }
}

#[test]
fn counts_and_flags_must_be_counts_and_flags() {
    refused(
        Kind::Machine,
        &spoiled("maxEvictRetries", json!(-1)),
        &["spec.maxEvictRetries: -1 is too small; write how often an eviction is tried, 0 or more"],
    );
    refused(
        Kind::Machine,
        &spoiled("maxEvictRetries", json!(1u64 << 31)),
        &["spec.maxEvictRetries: 2147483648 is too large"],
    );
    refused(
        Kind::Machine,
        &spoiled("disableHealthTimeout", json!("yes")),
        &["spec.disableHealthTimeout: \"yes\" is not true or false"],
    );
}

#[test]
fn what_the_node_could_not_carry_is_refused_with_the_place_in_the_list() {
    let bad = json!({
        "metadata": {"labels": {"a b": "x", "pool": "no spaces"}, "annotations": {"/x": "y"}},
        "spec": {"taints": [
            {"key": "a", "effect": "NoSchedule"},
            {"key": "-", "value": "?", "effect": "NoScheduled"},
            {"value": "x"},
            {"key": "a", "value": "other", "effect": "NoSchedule"},
            "not a taint"
        ]}
    });
    refused(
        Kind::Machine,
        &spoiled("nodeTemplate", bad),
        &[
            "spec.nodeTemplate.metadata.annotations[/x]: \"/x\" is not a key",
            "spec.nodeTemplate.metadata.labels[a b]: \"a b\" is not a key",
            "spec.nodeTemplate.metadata.labels[pool]: \"no spaces\" is not a label value",
            "spec.nodeTemplate.spec.taints[1].effect: \"NoScheduled\" is not one of NoSchedule, PreferNoSchedule, \
             NoExecute; did you mean \"NoSchedule\"?",
            "spec.nodeTemplate.spec.taints[1].key: \"-\" is not a key",
            "spec.nodeTemplate.spec.taints[1].value: \"?\" is not a label value",
            "spec.nodeTemplate.spec.taints[2].effect: must be one of NoSchedule",
            "spec.nodeTemplate.spec.taints[2].key: must be set to the key of the taint",
            "spec.nodeTemplate.spec.taints[3]: a taint with key \"a\" and effect NoSchedule is there already",
            "spec.nodeTemplate.spec.taints[4]: \"not a taint\" is not an object",
        ],
    );
}

#[test]
fn a_class_that_does_not_exist_yet_is_only_a_warning() {
    let machine = machine();
    let ask = |classes: &[&str]| {
        let request = request(Kind::Machine, Change::Create { new: &machine });
        validate(&request, &KnownClasses(classes), &rulebook())
    };
    let verdict = ask(&["smal", "large"]);
    assert!(verdict.errors.is_empty());
    assert_eq!(
        told(&verdict.warnings),
        [
            "spec.class.name: there is no MachineClass \"small\" yet; machines wait for it; did you mean \"smal\"? [class-exists]"
        ]
    );
    assert!(ask(&["small"]).warnings.is_empty());
}

#[test]
fn a_set_that_is_older_than_a_rule_is_not_kept_from_making_machines() {
    let owner = json!([{"kind": "MachineSet", "name": "pool-1", "uid": "u", "controller": true}]);
    let wrong = spoiled("nodeConditions", json!("A, B"));
    refused(Kind::Machine, &wrong, &["spec.nodeConditions: "]);
    let made = with(wrong, "/metadata/ownerReferences", owner);
    let Verdict { errors, warnings } = created(Kind::Machine, &made);
    assert_eq!((errors.len(), warnings.len()), (0, 1), "{errors:?} {warnings:?}");
}

#[test]
fn a_provider_id_in_another_spelling_is_not_taken_for_another_vm() {
    let with_id = |id: &str| with(machine(), "/spec/providerID", id.into());
    let old = with_id("azure:///westeurope/Worker-1");
    let respelt = with_id("azure:///subscriptions/x/resourceGroups/y/virtualMachines/worker-1");
    assert!(updated(Kind::Machine, &old, &respelt).errors.is_empty());
    let other = updated(Kind::Machine, &old, &with_id("azure:///westeurope/worker-2"));
    assert_eq!(other.errors.len(), 1);
}
