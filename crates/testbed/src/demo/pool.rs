//! The pool of machines as `kubectl get machinedeployments,machines,nodes -o json` shows it, boiled down to what the demo looks at.

use std::{collections::BTreeMap, fmt};

use serde_json::Value;

/// What one look showed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pool {
    pub(super) deployment: Deployment,
    pub(super) machines: Vec<Machine>,
    pub(super) nodes: Vec<Node>,
}

/// The MachineDeployment's numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Deployment {
    pub(super) desired: u64,
    pub(super) replicas: u64,
    pub(super) updated: u64,
    pub(super) ready: u64,
    pub(super) available: u64,
    /// Whether the numbers are about the spec as it is now.
    pub(super) is_current: bool,
}

/// A Machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Machine {
    pub(super) name: String,
    pub(super) class: String,
    pub(super) phase: String,
    pub(super) provider_id: String,
    pub(super) description: String,
    pub(super) is_deleting: bool,
}

/// A Node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) ready: String,
}

impl Machine {
    /// Reads a Machine's JSON.
    pub(super) fn read(object: &Value) -> Self {
        let phase = text(&object["status"]["currentStatus"]["phase"]);
        Self {
            name: text(&object["metadata"]["name"]),
            class: text(&object["spec"]["class"]["name"]),
            phase: if phase.is_empty() { "new".to_owned() } else { phase },
            provider_id: text(&object["spec"]["providerID"]),
            description: text(&object["status"]["lastOperation"]["description"]),
            is_deleting: object["metadata"]["deletionTimestamp"].is_string(),
        }
    }

    /// Whether it does its work.
    pub(super) fn is_available(&self) -> bool {
        self.phase == "Running" && !self.is_deleting
    }

    /// The id that the cloud knows its VM by.
    pub(super) fn vm(&self) -> &str {
        self.provider_id.rsplit('/').next().unwrap_or_default()
    }
}

impl Pool {
    /// Reads the list that kubectl prints.
    pub(super) fn read(list: &Value) -> Self {
        let mut pool = Self::default();
        for object in list["items"].as_array().into_iter().flatten() {
            match object["kind"].as_str() {
                Some("MachineDeployment") => pool.deployment = Deployment::read(object),
                Some("Machine") => pool.machines.push(Machine::read(object)),
                Some("Node") => pool.nodes.push(Node::read(object)),
                Some(_) | None => {}
            }
        }
        pool
    }

    /// Whether there are exactly `count` machines, each a node that is ready, and the deployment knows it.
    pub(super) fn is_settled(&self, count: usize) -> bool {
        let Deployment { desired, replicas, updated, ready, available, is_current } = &self.deployment;
        *is_current
            && [desired, replicas, updated, ready, available].iter().all(|number| **number == count as u64)
            && self.machines.len() == count
            && self.machines.iter().all(Machine::is_available)
            && self.nodes.len() == count
            && self.nodes.iter().all(|node| node.ready == "True")
    }
}

impl Deployment {
    fn read(object: &Value) -> Self {
        let number = |value: &Value| value.as_u64().unwrap_or_default();
        let status = &object["status"];
        Self {
            desired: number(&object["spec"]["replicas"]),
            replicas: number(&status["replicas"]),
            updated: number(&status["updatedReplicas"]),
            ready: number(&status["readyReplicas"]),
            available: number(&status["availableReplicas"]),
            is_current: status["observedGeneration"] == object["metadata"]["generation"],
        }
    }
}

impl Node {
    fn read(object: &Value) -> Self {
        let conditions = object["status"]["conditions"].as_array();
        let ready = conditions.into_iter().flatten().find(|condition| condition["type"] == "Ready");
        let ready = ready.map_or_else(|| "Unknown".to_owned(), |condition| text(&condition["status"]));
        Self { name: text(&object["metadata"]["name"]), ready }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// `3 machines (1 Pending, 2 Running), 2 nodes (2 ready)`
impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let phases = self.machines.iter().map(|machine| match machine.is_deleting {
            true => "Terminating",
            false => machine.phase.as_str(),
        });
        let readiness = self.nodes.iter().map(|node| match node.ready.as_str() {
            "True" => "ready",
            "False" => "not ready",
            _ => "unknown",
        });
        write!(f, "{} machines{}, ", self.machines.len(), census(phases))?;
        write!(f, "{} nodes{}", self.nodes.len(), census(readiness))
    }
}

fn census<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for word in words {
        *counts.entry(word).or_default() += 1;
    }
    let counts: Vec<_> = counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn machine(name: &str, phase: &str) -> Value {
        json!({
            "kind": "Machine",
            "metadata": { "name": name },
            "spec": { "class": { "name": "small" }, "providerID": format!("local:///a/i-{name}") },
            "status": { "currentStatus": { "phase": phase } },
        })
    }

    fn node(ready: &str) -> Value {
        let conditions = json!([
            { "type": "DiskPressure", "status": "False" },
            { "type": "Ready", "status": ready },
        ]);
        json!({ "kind": "Node", "metadata": { "name": "n" }, "status": { "conditions": conditions } })
    }

    fn deployment(observed: u64) -> Value {
        json!({
            "kind": "MachineDeployment",
            "metadata": { "generation": 3 },
            "spec": { "replicas": 2 },
            "status": {
                "observedGeneration": observed,
                "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2,
            },
        })
    }

    fn pool(items: &[Value]) -> Pool {
        Pool::read(&json!({ "items": items }))
    }

    #[test]
    fn two_of_each_are_settled() {
        let running = [machine("1", "Running"), machine("2", "Running"), node("True"), node("True")];
        let settled = pool(&[&[deployment(3)][..], &running].concat());
        assert!(settled.is_settled(2) && !settled.is_settled(3));
        assert_eq!(settled.machines[1].vm(), "i-2");
        assert!(!pool(&[&[deployment(2)][..], &running].concat()).is_settled(2), "numbers of an older spec");
    }

    #[test]
    fn whatever_is_not_done_is_not_settled() {
        let (running, ready) = (machine("1", "Running"), node("True"));
        let mut leaving = machine("2", "Running");
        leaving["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        for rest in [
            [machine("2", "Pending"), ready.clone()],
            [leaving, ready.clone()],
            [machine("2", "Running"), node("Unknown")],
        ] {
            let items = [vec![deployment(3), running.clone(), ready.clone()], rest.to_vec()].concat();
            assert!(!pool(&items).is_settled(2), "{rest:?}");
        }
        assert!(!Pool::default().is_settled(1));
    }

    #[test]
    fn a_look_reads_as_a_sentence() {
        let mut new = machine("3", "");
        new["status"] = json!({});
        let look =
            pool(&[machine("1", "Running"), machine("2", "Running"), new, node("True"), node("Unknown")]);
        assert_eq!(look.to_string(), "3 machines (2 Running, 1 new), 2 nodes (1 ready, 1 unknown)");
        assert_eq!(Pool::default().to_string(), "0 machines, 0 nodes");
    }
}
