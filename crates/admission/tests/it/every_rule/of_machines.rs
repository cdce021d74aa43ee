//! Broken Machines.

use millwright_admission::Kind;
use serde_json::{Value, json};

use super::Write::{Create, Update};
use super::{Case, Write};
use crate::neighbours::Neighbours;
use crate::objects::{class, machine, with, without};

fn case(rule: &'static str, field: &'static str, write: Write) -> Case {
    Case::new(rule, field, Kind::Machine, write)
}

fn spec(field: &str, value: Value) -> Write {
    Create(with(machine(), &format!("/spec/{field}"), value))
}

fn taints(taints: Value) -> Write {
    spec("nodeTemplate", json!({"spec": {"taints": taints}}))
}

fn annotated(key: &str, value: &str) -> Write {
    Create(with(machine(), "/metadata/annotations", json!({key: value})))
}

/// The same by an update that changes nothing else.
fn annotated_later(key: &str, value: &str) -> Write {
    Update(machine(), with(machine(), "/metadata/annotations", json!({key: value})))
}

fn labelled(key: &str, value: &str) -> Write {
    Create(with(machine(), "/metadata/labels", json!({key: value})))
}

/// A machine that has a VM, and another one to come.
fn change(change: impl Fn(&mut Value)) -> Write {
    let old = with(machine(), "/spec/providerID", json!("cloud:///1"));
    let mut new = old.clone();
    change(&mut new);
    Update(old, new)
}

const PRIORITY: &str = "metadata.annotations[machinepriority.machine.sapcloud.io]";
const PRESERVE: &str = "metadata.annotations[node.machine.sapcloud.io/preserve]";

pub(super) fn cases() -> Vec<Case> {
    vec![
        case("field-type", "spec", Create(with(machine(), "/spec", json!([])))),
        case("field-type", "spec.disableHealthTimeout", spec("disableHealthTimeout", json!("yes"))),
        case("field-unknown", "spec.drainTimout", spec("drainTimout", json!("1h"))),
        case("field-unknown", "sepc", Create(with(machine(), "/sepc", json!({})))),
        case(
            "field-unknown",
            "spec.nodeTemplate.metadata.label",
            spec("nodeTemplate", json!({"metadata": {"label": {"a": "b"}}})),
        ),
        case(
            "field-without-effect",
            "spec.nodeTemplate.spec.unschedulable",
            spec("nodeTemplate", json!({"spec": {"unschedulable": true}})),
        ),
        case(
            "field-without-effect",
            "spec.nodeTemplate.metadata.name",
            spec("nodeTemplate", json!({"metadata": {"name": "n"}})),
        ),
        case("object-name", "metadata.name", Create(with(machine(), "/metadata/name", json!("a_b")))),
        case(
            "name-length",
            "metadata.name",
            Create(with(machine(), "/metadata/name", json!("m".repeat(64)))),
        ),
        case("count", "spec.maxEvictRetries", spec("maxEvictRetries", json!(-1))),
        case(
            "label",
            "spec.nodeTemplate.metadata.labels[pool]",
            spec("nodeTemplate", json!({"metadata": {"labels": {"pool": "no spaces"}}})),
        ),
        case(
            "annotation",
            "spec.nodeTemplate.metadata.annotations[/x]",
            spec("nodeTemplate", json!({"metadata": {"annotations": {"/x": "y"}}})),
        ),
        case(
            "annotation-known",
            "metadata.annotations[node.machine.sapcloud.io/perserve]",
            annotated("node.machine.sapcloud.io/perserve", "now"),
        ),
        case("class-reference", "spec.class", Create(without(machine(), "/spec/class"))),
        case(
            "class-reference",
            "spec.class.kind",
            spec("class", json!({"kind": "AWSMachineClass", "name": "small"})),
        ),
        case(
            "class-reference",
            "spec.class.name",
            spec("class", json!({"kind": "MachineClass", "name": "Small"})),
        ),
        case(
            "class-group",
            "spec.class.apiGroup",
            spec(
                "class",
                json!({"apiGroup": "machine.sapcloud.io/v1alpha1", "kind": "MachineClass", "name": "small"}),
            ),
        ),
        case(
            "class-exists",
            "spec.class.name",
            spec("class", json!({"kind": "MachineClass", "name": "smal"})),
        )
        .knowing(Neighbours::default().class(&class())),
        case("class-deleting", "spec.class.name", Create(machine())).knowing(
            Neighbours::default().class(&with(
                class(),
                "/metadata/deletionTimestamp",
                json!("2026-01-01T00:00:00Z"),
            )),
        ),
        case(
            "class-of-vm",
            "spec.class.name",
            change(|machine| machine["spec"]["class"]["name"] = json!("large")),
        ),
        case(
            "provider-id-stays",
            "spec.providerID",
            change(|machine| machine["spec"]["providerID"] = json!("cloud:///2")),
        ),
        case(
            "provider-id-stays",
            "spec.providerID",
            change(|machine| *machine = without(machine.take(), "/spec/providerID")),
        ),
        case("duration", "spec.drainTimeout", spec("drainTimeout", json!("2 hours"))),
        case(
            "duration",
            "metadata.annotations[node.machine.sapcloud.io/effective-creation-timeout]",
            annotated("node.machine.sapcloud.io/effective-creation-timeout", "soon"),
        ),
        case("node-conditions", "spec.nodeConditions", spec("nodeConditions", json!("A, B"))),
        case(
            "taint",
            "spec.nodeTemplate.spec.taints[0].effect",
            taints(json!([{"key": "a", "effect": "NoScheduled"}])),
        ),
        case("taint", "spec.nodeTemplate.spec.taints[0].key", taints(json!([{"effect": "NoSchedule"}]))),
        case(
            "taint",
            "spec.nodeTemplate.spec.taints[0].value",
            taints(json!([{"key": "a", "value": "?", "effect": "NoSchedule"}])),
        ),
        case(
            "taint",
            "spec.nodeTemplate.spec.taints[0].timeAdded",
            taints(json!([{"key": "a", "effect": "NoSchedule", "timeAdded": "now"}])),
        ),
        case("taint", "spec.nodeTemplate.spec.taints[0]", taints(json!([null]))),
        case(
            "taint-unique",
            "spec.nodeTemplate.spec.taints[1]",
            taints(
                json!([{"key": "a", "effect": "NoSchedule"}, {"key": "a", "value": "b", "effect": "NoSchedule"}]),
            ),
        ),
        case("machine-priority", PRIORITY, annotated("machinepriority.machine.sapcloud.io", "high")),
        case("machine-priority", PRIORITY, annotated_later("machinepriority.machine.sapcloud.io", "1.5")),
        case("preserve-value", PRESERVE, annotated("node.machine.sapcloud.io/preserve", "nwo")),
        case("preserve-value", PRESERVE, annotated_later("node.machine.sapcloud.io/preserve", "true")),
        case("force-deletion", "metadata.labels[force-deletion]", labelled("force-deletion", "yes")),
        case("force-drain", "metadata.labels[force-drain]", labelled("force-drain", "true")),
        case(
            "time",
            "metadata.annotations[machine.sapcloud.io/marked-for-deletion-time]",
            annotated("machine.sapcloud.io/marked-for-deletion-time", "yesterday"),
        ),
    ]
}
