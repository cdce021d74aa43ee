//! The objects of upstream's suite, under its names.

use serde_json::{Value, json};

use crate::fleet::Fleet;

pub(super) const V1: &str = "test-mc-v1";
pub(super) const V2: &str = "test-mc-v2";
pub(super) const MACHINE: &str = "test-machine";
pub(super) const DEPLOYMENT: &str = "test-machine-deployment";
/// A machine that there is not.
pub(super) const DUMMY: &str = "test-machine-dummy";

const SECRET: &str = "test-mc-secret";
const API: &str = "machine.sapcloud.io/v1alpha1";
/// What Gardener's node agent goes by; upstream takes its value from the environment.
const NODE_AGENT_LABEL: &str = "worker.gardener.cloud/gardener-node-agent-secret-name";

pub(super) fn secret(fleet: &Fleet) -> Value {
    let mut secret = fleet.secret();
    secret["metadata"]["name"] = json!(SECRET);
    secret
}

pub(super) fn class(fleet: &Fleet, name: &str) -> Value {
    let mut class = fleet.class(name);
    class["secretRef"] = json!({ "name": SECRET, "namespace": fleet.namespace });
    class
}

fn machine_spec() -> Value {
    json!({
        "class": { "kind": "MachineClass", "name": V1 },
        "nodeTemplate": { "metadata": { "labels": { (NODE_AGENT_LABEL): "test-gna" } } },
    })
}

/// Without labels, as upstream makes it.
pub(super) fn machine(namespace: &str) -> Value {
    json!({
        "apiVersion": API,
        "kind": "Machine",
        "metadata": { "name": MACHINE, "namespace": namespace },
        "spec": machine_spec(),
    })
}

/// Its minReadySeconds are more than the suite waits: they must not hold up anything.
pub(super) fn deployment(namespace: &str) -> Value {
    json!({
        "apiVersion": API,
        "kind": "MachineDeployment",
        "metadata": { "name": DEPLOYMENT, "namespace": namespace },
        "spec": {
            "replicas": 0,
            "minReadySeconds": 500,
            "selector": { "matchLabels": { "test-label": "test-label" } },
            "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": 2, "maxUnavailable": 1 } },
            "template": { "metadata": { "labels": { "test-label": "test-label" } }, "spec": machine_spec() },
        },
    })
}
