//! MachineSets, and what they share with deployments: selector and template.

use millwright_admission::Kind;
use millwright_provider::FieldErrorKind;
use serde_json::{Value, json};

use crate::ask::{accepted, created, refused};
use crate::objects::{set, with, without};

fn selecting(selector: Value) -> Value {
    with(set(), "/spec/selector", selector)
}

#[test]
fn a_set_as_the_deployment_controller_makes_it_is_accepted() {
    accepted(Kind::MachineSet, &set());
    accepted(Kind::MachineSet, &without(set(), "/spec/replicas"));
    let expressions = json!([
        {"key": "pool", "operator": "In", "values": ["a", "b"]},
        {"key": "gpu", "operator": "DoesNotExist"}
    ]);
    accepted(Kind::MachineSet, &selecting(json!({"matchExpressions": expressions})));
}

#[test]
fn a_selector_that_misses_the_template_is_refused_because_it_makes_machines_without_end() {
    for selector in [
        json!({"matchLabels": {"pool": "b"}}),
        json!({"matchLabels": {"pool": "a", "zone": "1"}}),
        json!({"matchExpressions": [{"key": "pool", "operator": "NotIn", "values": ["a"]}]}),
    ] {
        refused(Kind::MachineSet, &selecting(selector), &["spec.selector: \"pool"]);
    }
    let line =
        created(Kind::MachineSet, &selecting(json!({"matchLabels": {"pool": "b"}}))).errors[0].to_string();
    assert_eq!(
        line,
        "spec.selector: \"pool=b\" does not match spec.template.metadata.labels, which are name=pool,pool=a; \
         machines made from the template would not be counted and more would be made without end: write the same \
         labels in both places"
    );
    refused(
        Kind::MachineSet,
        &without(set(), "/spec/template/metadata"),
        &["spec.selector: \"pool=a\" does not match spec.template.metadata.labels, which are none"],
    );
}

#[test]
fn a_missing_or_empty_selector_is_refused() {
    let verdict = created(Kind::MachineSet, &without(set(), "/spec/selector"));
    assert_eq!(verdict.errors[0].kind, FieldErrorKind::Required);
    refused(Kind::MachineSet, &without(set(), "/spec/selector"), &["spec.selector: must be set"]);
    for empty in [json!({}), json!({"matchLabels": {}, "matchExpressions": []})] {
        refused(
            Kind::MachineSet,
            &selecting(empty),
            &["spec.selector: must not be empty: it would take every"],
        );
    }
}

#[test]
fn a_malformed_selector_is_refused_at_its_part() {
    let selector = json!({
        "matchLabels": {"pool": "a b"},
        "matchExpressions": [
            {"key": "zone", "operator": "in", "values": ["1"]},
            {"key": "zone", "operator": "In"},
            {"key": "zone", "operator": "Exists", "values": ["1"]},
            {"operator": "Exists"},
            7
        ]
    });
    refused(
        Kind::MachineSet,
        &selecting(selector),
        &[
            "spec.selector.matchExpressions[0].operator: \"in\" is not one of In, NotIn, Exists, DoesNotExist; did \
             you mean \"In\"?",
            "spec.selector.matchExpressions[1].values: must hold at least one value",
            "spec.selector.matchExpressions[2].values: must be empty",
            "spec.selector.matchExpressions[3].key: must be set to the key of a label",
            "spec.selector.matchExpressions[4]: 7 is not an object",
            "spec.selector.matchLabels[pool]: \"a b\" is not a label value",
        ],
    );
}

#[test]
fn every_mistake_is_told_at_once_in_the_order_of_the_fields() {
    let mut bad = set();
    bad["spec"]["replicas"] = json!(-3);
    bad["spec"]["minReadySeconds"] = json!(-1);
    bad["spec"]["autoPreserveFailedMachineMax"] = json!(-2);
    bad["spec"]["selector"] = Value::Null;
    bad["spec"]["template"]["metadata"]["annotations"] = json!({"": "x"});
    bad["spec"]["template"]["spec"] = json!({"healthTimeout": "1 h"});
    refused(
        Kind::MachineSet,
        &bad,
        &[
            "spec.autoPreserveFailedMachineMax: -2 is too small",
            "spec.minReadySeconds: -1 is too small",
            "spec.replicas: -3 is too small; write the number of machines, 0 or more",
            "spec.selector: must be set",
            "spec.template.metadata.annotations[]: \"\" is not a key",
            "spec.template.spec.class: must be set",
            "spec.template.spec.healthTimeout: \"1 h\" is not a duration",
        ],
    );
}
