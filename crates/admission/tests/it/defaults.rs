//! What is filled in, and what is not.

use millwright_admission::{Change, Kind, NoFacts, Request, review};
use serde_json::{Value, json};

use crate::ask::{patch, request, rulebook};
use crate::objects::{class, deployment, machine, set, with, without};

fn patched(kind: Kind, object: &Value) -> Value {
    let mut after = object.clone();
    if let Some(patch) = patch(&request(kind, Change::Create { new: object })) {
        json_patch::patch(&mut after, &patch).unwrap();
    }
    after
}

fn strategy_after(strategy: Value) -> Value {
    patched(Kind::MachineDeployment, &with(deployment(), "/spec/strategy", strategy))["spec"]["strategy"]
        .clone()
}

#[test]
fn a_class_gets_its_providers_defaults_and_keeps_what_was_written_and_what_is_unknown() {
    let mut object = class();
    object["futureField"] = json!({"a": [1]});
    object["providerSpec"]["diskGiB"] = json!(7);
    object["providerSpec"]["unknown"] = json!(null);
    let mut expected = object.clone();
    expected["providerSpec"]["boot"] = json!({"mode": "kubelet"});
    assert_eq!(patched(Kind::MachineClass, &object), expected);
}

#[test]
fn a_class_of_an_unknown_provider_or_without_a_spec_is_left_as_it_is() {
    for object in [
        with(class(), "/provider", json!("AWS")),
        without(class(), "/providerSpec"),
        with(class(), "/providerSpec", json!("x")),
    ] {
        assert_eq!(patched(Kind::MachineClass, &object), object);
    }
}

#[test]
fn a_deployment_without_a_strategy_gets_a_rolling_update_of_one() {
    let rolling = json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}});
    assert_eq!(
        patched(Kind::MachineDeployment, &without(deployment(), "/spec/strategy"))["spec"]["strategy"],
        rolling
    );
    for sparse in [json!(null), json!({}), json!({"type": "RollingUpdate"}), json!({"rollingUpdate": null})] {
        assert_eq!(strategy_after(sparse), rolling);
    }
}

#[test]
fn limits_that_were_written_stay_and_the_other_one_lets_a_rollout_begin() {
    let limits = |limits: Value| strategy_after(json!({"rollingUpdate": limits}))["rollingUpdate"].clone();
    assert_eq!(limits(json!({"maxSurge": 3})), json!({"maxSurge": 3, "maxUnavailable": 0}));
    assert_eq!(limits(json!({"maxUnavailable": "50%"})), json!({"maxUnavailable": "50%", "maxSurge": 1}));
    assert_eq!(limits(json!({"maxSurge": 0})), json!({"maxSurge": 0, "maxUnavailable": 1}));
    assert_eq!(limits(json!({"maxSurge": "0%"})), json!({"maxSurge": "0%", "maxUnavailable": 1}));
}

#[test]
fn other_strategies_and_mistakes_are_left_to_validation() {
    for strategy in [
        json!({"type": "Recreate"}),
        json!({"type": "InPlaceUpdate", "inPlaceUpdate": {}}),
        json!({"inPlaceUpdate": {"maxSurge": 1}}),
        json!({"type": "rolling"}),
        json!("RollingUpdate"),
        json!({"rollingUpdate": 5}),
    ] {
        assert_eq!(strategy_after(strategy.clone()), strategy);
    }
}

#[test]
fn machines_and_sets_have_no_defaults() {
    assert_eq!(patch(&request(Kind::Machine, Change::Create { new: &machine() })), None);
    assert_eq!(patch(&request(Kind::MachineSet, Change::Create { new: &set() })), None);
}

#[test]
fn a_second_round_of_defaults_adds_nothing() {
    for (kind, object) in
        [(Kind::MachineClass, class()), (Kind::MachineDeployment, without(deployment(), "/spec/strategy"))]
    {
        let once = patched(kind, &object);
        assert_ne!(once, object);
        assert_eq!(patch(&request(kind, Change::Create { new: &once })), None);
    }
}

#[test]
fn a_review_judges_the_object_with_its_defaults() {
    let object = with(without(deployment(), "/spec/strategy"), "/spec/replicas", json!(-1));
    let asked = Request { name: "pool", ..request(Kind::MachineDeployment, Change::Create { new: &object }) };
    let decision = review(&asked, &NoFacts, &rulebook());
    assert!(decision.patch.is_some());
    assert_eq!(decision.errors.len(), 1, "{:?}", decision.errors);
    assert_eq!(decision.errors[0].field, "spec.replicas");
}
