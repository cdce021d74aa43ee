//! The scripts.

mod built_in;
mod custom;
mod deletions;
mod evictions;
mod lists;
mod patches;
mod scales;
mod watches;

use serde_json::{Value, json};

use crate::step::Step;

/// A script by its name.
pub(crate) type Case = (&'static str, Vec<Step>);

pub(crate) const MACHINES: &str = "/apis/machine.sapcloud.io/v1alpha1/namespaces/$ns/machines";
pub(crate) const CLASSES: &str = "/apis/machine.sapcloud.io/v1alpha1/namespaces/$ns/machineclasses";
pub(crate) const CONFIG_MAPS: &str = "/api/v1/namespaces/$ns/configmaps";
pub(crate) const SECRETS: &str = "/api/v1/namespaces/$ns/secrets";
pub(crate) const PODS: &str = "/api/v1/namespaces/$ns/pods";

pub(crate) fn all() -> Vec<Case> {
    [
        custom::cases(),
        built_in::cases(),
        patches::cases(),
        deletions::cases(),
        evictions::cases(),
        lists::cases(),
        scales::cases(),
        watches::cases(),
    ]
    .concat()
}

pub(crate) fn machine(name: &str) -> Value {
    json!({
        "apiVersion": "machine.sapcloud.io/v1alpha1",
        "kind": "Machine",
        "metadata": { "name": name },
        "spec": { "class": { "kind": "MachineClass", "name": "small" } },
    })
}

pub(crate) fn config_map(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "k": "v" } })
}

pub(crate) fn pod(name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": name, "labels": { "app": "web" } },
        "spec": { "nodeName": "somewhere", "containers": [{ "name": "c", "image": "i" }] },
    })
}

/// Without one of these no pod is admitted.
pub(crate) fn account() -> Step {
    let body = json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": { "name": "default" } });
    crate::step::post("/api/v1/namespaces/$ns/serviceaccounts", body)
}

/// An object with something added to its metadata.
pub(crate) fn with(mut object: Value, field: &str, value: Value) -> Value {
    object["metadata"][field] = value;
    object
}
