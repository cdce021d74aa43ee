//! What is there at a moment, without what chance or time put into it: two runs that end well have the same.

use std::fmt;

use millwright_simkube::Operator;
use serde_json::Value;

use super::World;

/// One line for each thing, sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EndState(Vec<String>);

impl fmt::Display for EndState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl EndState {
    pub(crate) fn of(world: &World) -> Self {
        let operator = &world.operator;
        let mut lines = Vec::new();
        machines(world, &mut lines);
        for (resource, fields) in [
            ("machinesets", &["replicas", "readyReplicas", "availableReplicas", "fullyLabeledReplicas"][..]),
            (
                "machinedeployments",
                &["replicas", "readyReplicas", "availableReplicas", "updatedReplicas", "conditions"],
            ),
        ] {
            for object in operator.list(resource) {
                let status: Vec<String> = fields
                    .iter()
                    .map(|field| format!("{field}={}", plain(&object["status"][*field])))
                    .collect();
                lines.push(format!("{resource} {} {}", name(&object), status.join(" ")));
            }
        }
        for resource in ["machineclasses", "nodes", "secrets", "volumeattachments", "pods"] {
            for object in operator.list(resource) {
                lines.push(format!(
                    "{resource} {} {}",
                    name(&object),
                    plain(&object["metadata"]["finalizers"])
                ));
            }
        }
        nodes(operator, &mut lines);
        lines.extend(world.cloud.vms().iter().map(|vm| format!("VM {}", nameless(&vm.name))));
        lines.extend(
            world
                .cloud
                .nics()
                .iter()
                .map(|nic| format!("NIC {} of a VM: {}", nameless(&nic.name), nic.vm.is_some())),
        );
        lines.extend(
            world
                .cloud
                .disks()
                .iter()
                .map(|disk| format!("disk {} of a VM: {}", nameless(&disk.name), disk.vm.is_some())),
        );
        lines.sort();
        Self(lines)
    }
}

fn machines(world: &World, lines: &mut Vec<String>) {
    for machine in world.operator.list("machines") {
        let id = machine["spec"]["providerID"].as_str().unwrap_or_default();
        let has_vm = world
            .cloud
            .vms()
            .iter()
            .any(|vm| id.ends_with(&vm.id) && vm.tags["machine-uid"] == machine["metadata"]["uid"]);
        let operation = &machine["status"]["lastOperation"];
        lines.push(format!(
            "machine {} {} {}/{} its VM: {has_vm} node: {} {}",
            name(&machine),
            machine["status"]["currentStatus"]["phase"],
            operation["type"],
            operation["state"],
            machine["metadata"]["labels"]["node"].is_string(),
            plain(&machine["metadata"]["finalizers"]),
        ));
    }
}

fn nodes(operator: &Operator, lines: &mut Vec<String>) {
    for node in operator.list("nodes") {
        let labels: Vec<&String> =
            node["metadata"]["labels"].as_object().into_iter().flatten().map(|(key, _)| key).collect();
        let annotations: Vec<&String> =
            node["metadata"]["annotations"].as_object().into_iter().flatten().map(|(key, _)| key).collect();
        lines.push(format!(
            "node {} labels {labels:?} annotations {annotations:?} taints {} cordoned {}",
            name(&node),
            plain(&node["spec"]["taints"]),
            node["spec"]["unschedulable"],
        ));
    }
}

fn name(object: &Value) -> String {
    nameless(object["metadata"]["name"].as_str().unwrap_or_default())
}

/// A name without its random end.
fn nameless(name: &str) -> String {
    if name.starts_with("pool-") {
        return "pool-*".to_owned();
    }
    name.to_owned()
}

/// A value without times.
fn plain(value: &Value) -> String {
    match value {
        Value::Array(list) => format!("[{}]", list.iter().map(plain).collect::<Vec<_>>().join(",")),
        Value::Object(map) => {
            let kept = map
                .iter()
                .filter(|(key, _)| !key.ends_with("Time") && !key.starts_with("time") && *key != "message");
            format!(
                "{{{}}}",
                kept.map(|(key, value)| format!("{key}:{}", plain(value))).collect::<Vec<_>>().join(",")
            )
        }
        Value::String(text) => nameless(text),
        other => other.to_string(),
    }
}
