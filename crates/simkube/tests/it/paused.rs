//! What the tests share: a server, and objects as JSON.

use kube::Api;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind};
use millwright_simkube::SimKube;
use serde_json::{Value, json};

pub(crate) const NAMESPACE: &str = "fleet";

pub(crate) fn machine(name: &str) -> Value {
    json!({
        "apiVersion": "machine.sapcloud.io/v1alpha1",
        "kind": "Machine",
        "metadata": { "name": name, "namespace": NAMESPACE },
        "spec": { "class": { "kind": "MachineClass", "name": "small" } },
    })
}

pub(crate) fn pod(name: &str, app: &str, ready: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": name, "namespace": NAMESPACE, "labels": { "app": app } },
        "spec": { "nodeName": "n-1", "containers": [{ "name": "c", "image": "i" }] },
        "status": { "phase": "Running", "conditions": [{ "type": "Ready", "status": ready }] },
    })
}

pub(crate) fn dynamic(value: Value) -> DynamicObject {
    serde_json::from_value(value).unwrap()
}

pub(crate) fn machines(sim: &SimKube, who: &str) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("machine.sapcloud.io", "v1alpha1", "Machine");
    let resource = ApiResource::from_gvk_with_plural(&kind, "machines");
    Api::namespaced_with(sim.client(who, NAMESPACE), NAMESPACE, &resource)
}

/// The HTTP status of a failure.
pub(crate) fn code<T: std::fmt::Debug>(outcome: kube::Result<T>) -> u16 {
    match outcome {
        Err(kube::Error::Api(status)) => status.code,
        other => panic!("expected a refusal, got {other:?}"),
    }
}
