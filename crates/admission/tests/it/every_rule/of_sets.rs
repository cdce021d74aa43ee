//! Broken MachineSets, and what deployments share with them.

use millwright_admission::Kind;
use serde_json::{Value, json};

use super::Write::{Create, Update};
use super::{Case, Write};
use crate::objects::{set, with, without};

fn case(rule: &'static str, field: &'static str, write: Write) -> Case {
    Case::new(rule, field, Kind::MachineSet, write)
}

fn spec(field: &str, value: Value) -> Write {
    Create(with(set(), &format!("/spec/{field}"), value))
}

fn annotated(key: &str, value: &str) -> Write {
    Create(with(set(), "/metadata/annotations", json!({key: value})))
}

fn labelled(key: &str, value: &str) -> Write {
    Create(with(set(), &format!("/spec/template/metadata/labels/{key}"), json!(value)))
}

fn change(change: impl Fn(&mut Value)) -> Write {
    let mut new = set();
    change(&mut new);
    Update(set(), new)
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        case("field-unknown", "spec.template.sepc", spec("template/sepc", json!({}))),
        case("field-unknown", "spec.selector.matchLabel", spec("selector/matchLabel", json!({}))),
        case(
            "field-without-effect",
            "spec.template.metadata.namespace",
            spec("template/metadata/namespace", json!("shoot")),
        ),
        case(
            "field-without-effect",
            "spec.machineClass",
            spec("machineClass", json!({"kind": "MachineClass", "name": "a"})),
        ),
        case("name-length", "metadata.name", Create(with(set(), "/metadata/name", json!("s".repeat(58))))),
        case("count", "spec.replicas", spec("replicas", json!(-3))),
        case("label", "spec.template.metadata.labels[x]", labelled("x", "a b")),
        case("selector-required", "spec.selector", Create(without(set(), "/spec/selector"))),
        case(
            "selector-syntax",
            "spec.selector.matchExpressions[0].operator",
            spec(
                "selector",
                json!({"matchExpressions": [{"key": "pool", "operator": "in", "values": ["a"]}]}),
            ),
        ),
        case("selector-selects-something", "spec.selector", spec("selector", json!({}))),
        case(
            "selector-matches-template",
            "spec.selector",
            spec("selector", json!({"matchLabels": {"pool": "b"}})),
        ),
        case(
            "selector-keeps-machines",
            "spec.selector",
            change(|set| {
                set["spec"]["selector"]["matchLabels"]["pool"] = json!("b");
                set["spec"]["template"]["metadata"]["labels"]["pool"] = json!("b");
            }),
        ),
        case(
            "template-provider-id",
            "spec.template.spec.providerID",
            spec("template/spec/providerID", json!("cloud:///1")),
        ),
        case("template-label", "spec.template.metadata.labels[node]", labelled("node", "n-1")),
        case(
            "template-force-deletion",
            "spec.template.metadata.labels[force-deletion]",
            labelled("force-deletion", "True"),
        ),
        case(
            "force-deletion",
            "spec.template.metadata.labels[force-deletion]",
            labelled("force-deletion", "yes"),
        ),
        case(
            "preserve-value",
            "spec.template.metadata.annotations[node.machine.sapcloud.io/preserve]",
            spec("template/metadata/annotations", json!({"node.machine.sapcloud.io/preserve": "always"})),
        ),
        case(
            "autoscaler-size",
            "metadata.annotations[machine.sapcloud.io/cluster-api-autoscaler-node-group-min-size]",
            annotated("machine.sapcloud.io/cluster-api-autoscaler-node-group-min-size", "-1"),
        ),
        case(
            "autoscaler-capacity",
            "metadata.annotations[capacity.cluster-autoscaler.kubernetes.io/cpu]",
            annotated("capacity.cluster-autoscaler.kubernetes.io/cpu", "lots"),
        ),
        case(
            "autoscaler-capacity",
            "metadata.annotations[capacity.cluster-autoscaler.kubernetes.io/taints]",
            annotated("capacity.cluster-autoscaler.kubernetes.io/taints", "a=b:NoScheduled"),
        ),
        case(
            "autoscaler-capacity",
            "metadata.annotations[capacity.cluster-autoscaler.kubernetes.io/maxPods]",
            annotated("capacity.cluster-autoscaler.kubernetes.io/maxPods", "110.5"),
        ),
        case(
            "annotation-known",
            "metadata.annotations[capacity.cluster-autoscaler.kubernetes.io/mem]",
            annotated("capacity.cluster-autoscaler.kubernetes.io/mem", "1Gi"),
        ),
        case(
            "autoscaler-option",
            "metadata.annotations[machine.sapcloud.io/autoscaling-options-scaledownunneededtime]",
            annotated("machine.sapcloud.io/autoscaling-options-scaledownunneededtime", "10"),
        ),
        case(
            "time",
            "metadata.annotations[machine.sapcloud.io/last-deployment-replica-change-by-scaler-time]",
            annotated("machine.sapcloud.io/last-deployment-replica-change-by-scaler-time", "now"),
        ),
        case("replicas-to-zero", "spec.replicas", change(|set| set["spec"]["replicas"] = json!(0))),
    ]
}
