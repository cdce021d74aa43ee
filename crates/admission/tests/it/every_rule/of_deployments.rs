//! Broken MachineDeployments.

use millwright_admission::Kind;
use serde_json::{Value, json};

use super::Write::{Create, Update};
use super::{Case, Write};
use crate::neighbours::Neighbours;
use crate::objects::{class, deployment, with, without};

const MIN: &str = "machine.sapcloud.io/cluster-api-autoscaler-node-group-min-size";
const MAX: &str = "machine.sapcloud.io/cluster-api-autoscaler-node-group-max-size";
const WINDOW: &str = "metadata.annotations[machine.sapcloud.io/maintenance-window]";

fn case(rule: &'static str, field: &'static str, write: Write) -> Case {
    Case::new(rule, field, Kind::MachineDeployment, write)
}

fn spec(field: &str, value: Value) -> Write {
    Create(with(deployment(), &format!("/spec/{field}"), value))
}

fn rolling(surge: Value, unavailable: Value) -> Write {
    spec("strategy/rollingUpdate", json!({"maxSurge": surge, "maxUnavailable": unavailable}))
}

fn annotations(annotations: Value) -> Value {
    with(deployment(), "/metadata/annotations", annotations)
}

/// An update that takes the count out of an applied file; the defaults have kept it.
fn handed_over() -> Write {
    let applied = |text: &str| annotations(json!({"kubectl.kubernetes.io/last-applied-configuration": text}));
    let new = with(applied(r#"{"spec":{"paused":true}}"#), "/spec/paused", json!(true));
    Update(applied(r#"{"spec":{"replicas":3}}"#), new)
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        case("field-type", "spec.paused", spec("paused", json!("no"))),
        case("field-unknown", "spec.progressDeadlineSecond", spec("progressDeadlineSecond", json!(5))),
        case(
            "field-unknown",
            "spec.strategy.rollingUpdate.maxsurge",
            spec("strategy/rollingUpdate/maxsurge", json!(5)),
        ),
        case(
            "name-length",
            "metadata.name",
            Create(with(deployment(), "/metadata/name", json!("d".repeat(52)))),
        ),
        case("count", "spec.progressDeadlineSeconds", spec("progressDeadlineSeconds", json!(0))),
        case("count", "spec.revisionHistoryLimit", spec("revisionHistoryLimit", json!(1u64 << 31))),
        case("strategy-type", "spec.strategy.type", spec("strategy", json!({"type": "Rolling"}))),
        case("strategy-type", "spec.strategy.type", Create(without(deployment(), "/spec/strategy"))),
        case("strategy-limit", "spec.strategy.rollingUpdate.maxSurge", rolling(json!("+25%"), json!(1))),
        case("strategy-limit", "spec.strategy.rollingUpdate.maxSurge", rolling(json!("25"), json!(1))),
        case("strategy-limit", "spec.strategy.rollingUpdate.maxUnavailable", rolling(json!(1), json!(null))),
        case(
            "strategy-share",
            "spec.strategy.rollingUpdate.maxUnavailable",
            rolling(json!("200%"), json!("101%")),
        ),
        case(
            "strategy-can-begin",
            "spec.strategy.rollingUpdate.maxUnavailable",
            rolling(json!("0%"), json!(0)),
        ),
        case(
            "strategy-leftover",
            "spec.strategy.inPlaceUpdate",
            spec("strategy/inPlaceUpdate", json!({"orchestrationType": "Auto"})),
        ),
        case(
            "deadline-after-ready",
            "spec.progressDeadlineSeconds",
            Create(with(
                with(deployment(), "/spec/minReadySeconds", json!(60)),
                "/spec/progressDeadlineSeconds",
                json!(60),
            )),
        ),
        case(
            "rollback-while-paused",
            "spec.rollbackTo",
            Create(with(
                with(deployment(), "/spec/paused", json!(true)),
                "/spec/rollbackTo",
                json!({"revision": 2}),
            )),
        ),
        case(
            "name-label",
            "spec.template.metadata.labels[name]",
            Create(without(deployment(), "/spec/template/metadata/labels/name")),
        ),
        case("replicas-left-out", "spec.replicas", handed_over()),
        case(
            "autoscaler-size",
            "metadata.annotations[machine.sapcloud.io/cluster-api-autoscaler-node-group-max-size]",
            Create(annotations(json!({MIN: "3", MAX: "2"}))),
        ),
        case(
            "scale-from-zero",
            "metadata.annotations[machine.sapcloud.io/cluster-api-autoscaler-node-group-min-size]",
            Create(annotations(json!({MIN: "0", MAX: "2"}))),
        )
        .knowing(Neighbours::default().class(&class())),
        case(
            "trigger-deletion",
            "metadata.annotations[node.machine.sapcloud.io/trigger-deletion-by-mcm]",
            Create(annotations(json!({"node.machine.sapcloud.io/trigger-deletion-by-mcm": "m-1~yesterday"}))),
        ),
        case(
            "maintenance-window",
            WINDOW,
            Create(annotations(json!({"machine.sapcloud.io/maintenance-window": "saturdays"}))),
        ),
        case(
            "maintenance-window",
            WINDOW,
            Update(deployment(), annotations(json!({"machine.sapcloud.io/maintenance-window": "saturdays"}))),
        ),
        case(
            "annotation-known",
            "metadata.annotations[machine.sapcloud.io/maintainance-window]",
            Create(annotations(json!({"machine.sapcloud.io/maintainance-window": "always"}))),
        ),
    ]
}
