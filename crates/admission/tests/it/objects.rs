//! Good objects, to be spoiled by the tests.

use serde_json::{Value, json};

pub(crate) fn class() -> Value {
    json!({
        "apiVersion": "machine.sapcloud.io/v1alpha1",
        "kind": "MachineClass",
        "metadata": {"name": "small", "namespace": "shoot"},
        "provider": "cloud",
        "providerSpec": {"size": "small", "tags": {"kubernetes.io/role/node": "1"}},
        "secretRef": {"name": "cloud-secret", "namespace": "shoot"}
    })
}

pub(crate) fn machine_spec() -> Value {
    json!({"class": {"kind": "MachineClass", "name": "small"}})
}

pub(crate) fn machine() -> Value {
    json!({"metadata": {"name": "m", "namespace": "shoot"}, "spec": machine_spec()})
}

pub(crate) fn set() -> Value {
    json!({
        "metadata": {"name": "pool-1", "namespace": "shoot"},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"pool": "a"}},
            "template": {
                "metadata": {"creationTimestamp": null, "labels": {"pool": "a", "name": "pool"}},
                "spec": machine_spec()
            }
        }
    })
}

pub(crate) fn deployment() -> Value {
    let mut deployment = set();
    deployment["spec"]["strategy"] =
        json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": "25%"}});
    deployment
}

/// The object with the value at a JSON pointer replaced; the place must exist or be a new last key.
pub(crate) fn with(mut object: Value, pointer: &str, value: Value) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = object.pointer_mut(parent).unwrap();
    match key.parse::<usize>() {
        Ok(index) => parent[index] = value,
        Err(_) => parent[key.replace("~1", "/")] = value,
    }
    object
}

/// The object without what stands at a JSON pointer.
pub(crate) fn without(mut object: Value, pointer: &str) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    object.pointer_mut(parent).unwrap().as_object_mut().unwrap().shift_remove(key).unwrap();
    object
}
