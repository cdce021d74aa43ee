//! What is there at a moment, without what chance or time put into it: two runs that end well have the same.

use std::fmt;

use millwright_simcloud::DiskKind;
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
    /// Nothing but what users made themselves and may keep.
    pub(crate) fn is_empty(&self) -> bool {
        // Data outlives every machine.
        self.0.iter().all(|line| *line == "secrets small null" || line.ends_with("attached: false"))
    }

    /// Lines that only one of the two has.
    pub(crate) fn difference(&self, expected: &Self) -> String {
        let only = |mark: &str, these: &[String], those: &[String]| {
            let mut those = those.to_vec();
            let mut lines = Vec::new();
            for line in these {
                match those.iter().position(|other| other == line) {
                    Some(at) => drop(those.remove(at)),
                    None => lines.push(format!("{mark} {line}")),
                }
            }
            lines
        };
        let mut lines = only("is", &self.0, &expected.0);
        lines.extend(only("was", &expected.0, &self.0));
        lines.join("; ")
    }
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
        // What a creation that failed half-way has left goes with its machine, and not before.
        let lives =
            |name: &str| operator.list("machines").iter().any(|machine| machine["metadata"]["name"] == name);
        for nic in world.cloud.nics() {
            let machine = nic.name.trim_end_matches("-nic");
            if nic.vm.is_some() || !lives(machine) {
                lines.push(format!("NIC of {} in use: {}", nameless(machine), nic.vm.is_some()));
            }
        }
        for disk in world.cloud.disks() {
            if disk.kind == DiskKind::Volume {
                lines.push(format!("volume {} attached: {}", disk.name, disk.vm.is_some()));
                continue;
            }
            let machine = disk.name.trim_end_matches("-root");
            if disk.vm.is_some() || !lives(machine) {
                lines.push(format!("disk of {} in use: {}", nameless(machine), disk.vm.is_some()));
            }
        }
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
        // One that runs may have been unwell for a moment, when its node could not be seen.
        let runs =
            machine["status"]["currentStatus"]["phase"] == "Running" && operation["state"] == "Successful";
        let operation =
            if runs { "done".to_owned() } else { format!("{}/{}", operation["type"], operation["state"]) };
        lines.push(format!(
            "machine {} {} {operation} its VM: {has_vm} node: {} {}",
            name(&machine),
            machine["status"]["currentStatus"]["phase"],
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
