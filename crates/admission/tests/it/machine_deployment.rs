//! MachineDeployments: what they have beyond sets.

use millwright_admission::Kind;
use serde_json::{Value, json};

use crate::ask::{accepted, created, refused, told};
use crate::objects::{deployment, with, without};

fn strategy(strategy: Value) -> Value {
    with(deployment(), "/spec/strategy", strategy)
}

#[test]
fn deployments_with_each_strategy_are_accepted() {
    accepted(Kind::MachineDeployment, &deployment());
    accepted(Kind::MachineDeployment, &strategy(json!({"type": "Recreate"})));
    let limits = json!({"maxSurge": 0, "maxUnavailable": 2, "orchestrationType": "Manual"});
    accepted(Kind::MachineDeployment, &strategy(json!({"type": "InPlaceUpdate", "inPlaceUpdate": limits})));
    let mut full = deployment();
    for (field, value) in [
        ("revisionHistoryLimit", json!(0)),
        ("progressDeadlineSeconds", json!(600)),
        ("minReadySeconds", json!(500)),
        ("rollbackTo", json!({"revision": 0})),
    ] {
        full["spec"][field] = value;
    }
    accepted(Kind::MachineDeployment, &full);
    full["spec"]["paused"] = json!(true);
    let verdict = created(Kind::MachineDeployment, &full);
    assert!(verdict.errors.is_empty());
    assert_eq!(
        told(&verdict.warnings),
        [
            "spec.rollbackTo: waits while spec.paused is true; nothing goes back until then [rollback-while-paused]"
        ]
    );
}

#[test]
fn a_strategy_must_be_known_and_complete() {
    let both = |strategy: &str| {
        [
            format!("spec.strategy.{strategy}.maxSurge: must be set to a count such as 1"),
            format!("spec.strategy.{strategy}.maxUnavailable: must be set to a count such as 1"),
        ]
    };
    let [surge, unavailable] = both("rollingUpdate");
    refused(
        Kind::MachineDeployment,
        &without(deployment(), "/spec/strategy"),
        &["spec.strategy.type: must be one of RollingUpdate, Recreate, InPlaceUpdate"],
    );
    refused(
        Kind::MachineDeployment,
        &strategy(json!({"type": "rollingupdate"})),
        &[
            "spec.strategy.type: \"rollingupdate\" is not one of RollingUpdate, Recreate, InPlaceUpdate; did you mean \
           \"RollingUpdate\"?",
        ],
    );
    refused(Kind::MachineDeployment, &strategy(json!({"type": "RollingUpdate"})), &[&surge, &unavailable]);
    let [surge, unavailable] = both("inPlaceUpdate");
    refused(
        Kind::MachineDeployment,
        &strategy(json!({"type": "InPlaceUpdate", "inPlaceUpdate": {"orchestrationType": "Automatic"}})),
        &[
            &surge,
            &unavailable,
            "spec.strategy.inPlaceUpdate.orchestrationType: \"Automatic\" is not one of Auto",
        ],
    );
}

#[test]
fn limits_are_counts_or_percentages() {
    for bad in [json!(-1), json!("25"), json!("x%"), json!("-5%"), json!(1.5), json!(true), json!({})] {
        let object = strategy(
            json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": bad, "maxUnavailable": 1}}),
        );
        let line = created(Kind::MachineDeployment, &object).errors[0].to_string();
        assert!(line.starts_with("spec.strategy.rollingUpdate.maxSurge: "), "{line}");
        assert!(line.ends_with("is neither a count, 0 or more, nor a percentage such as \"25%\""), "{line}");
    }
}

#[test]
fn limits_of_another_or_an_unknown_type_are_told_too_when_they_are_no_limits() {
    let lots = json!({"maxSurge": "lots"});
    let line = "spec.strategy.rollingUpdate.maxSurge: \"lots\" is neither a count";
    refused(
        Kind::MachineDeployment,
        &strategy(json!({"type": "Rolling", "rollingUpdate": lots})),
        &[line, "spec.strategy.type: \"Rolling\" is not one of"],
    );
    refused(Kind::MachineDeployment, &strategy(json!({"type": "Recreate", "rollingUpdate": lots})), &[line]);
    let leftover = strategy(json!({"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}));
    let verdict = created(Kind::MachineDeployment, &leftover);
    assert!(verdict.errors.is_empty());
    assert_eq!(
        told(&verdict.warnings),
        [
            "spec.strategy.rollingUpdate: has no effect with type Recreate; remove it, or write the type that it belongs to \
             [strategy-leftover]"
        ]
    );
}

#[test]
fn two_zero_limits_are_accepted_with_a_warning_because_gardener_accepts_them() {
    for zero in [json!(0), json!("0%")] {
        let limits = json!({"maxSurge": zero, "maxUnavailable": 0});
        let verdict = created(
            Kind::MachineDeployment,
            &strategy(json!({"type": "RollingUpdate", "rollingUpdate": limits})),
        );
        assert!(verdict.errors.is_empty());
        assert_eq!(verdict.warnings.len(), 1, "{:?}", verdict.warnings);
        assert!(verdict.warnings[0].text.contains("counts as 1"), "{:?}", verdict.warnings);
    }
}

#[test]
fn numbers_below_their_least_value_are_refused() {
    let mut bad = deployment();
    bad["spec"]["replicas"] = json!(-1);
    bad["spec"]["revisionHistoryLimit"] = json!(-1);
    bad["spec"]["progressDeadlineSeconds"] = json!(0);
    bad["spec"]["rollbackTo"] = json!({"revision": -1});
    refused(
        Kind::MachineDeployment,
        &bad,
        &[
            "spec.progressDeadlineSeconds: 0 is too small; write a number of seconds, 1 or more",
            "spec.replicas: -1 is too small; write the number of machines, 0 or more",
            "spec.revisionHistoryLimit: -1 is too small; write how many old sets to keep, 0 or more",
            "spec.rollbackTo.revision: -1 is too small",
        ],
    );
}

#[test]
fn an_empty_selector_is_refused_on_a_deployment() {
    let object = with(deployment(), "/spec/selector", json!({}));
    refused(Kind::MachineDeployment, &object, &["spec.selector: must not be empty"]);
}

#[test]
fn a_maintenance_window_that_can_not_be_read_is_refused() {
    let windowed = |windows: &str| {
        let mut deployment = deployment();
        deployment["metadata"]["annotations"]["machine.sapcloud.io/maintenance-window"] = json!(windows);
        deployment
    };
    for good in ["always", "0 22 * * SAT for 4h in Europe/Berlin | 0 2 * * MON-FRI for 90m"] {
        accepted(Kind::MachineDeployment, &windowed(good));
    }
    let path = "metadata.annotations[machine.sapcloud.io/maintenance-window]: ";
    refused(Kind::MachineDeployment, &windowed("saturdays"), &[&format!("{path}\"saturdays\" is no window")]);
}
