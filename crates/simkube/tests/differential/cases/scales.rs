//! The scale of sets and deployments.

use serde_json::{Value, json};

use super::Case;
use crate::step::{get, merge, post, put};

const SETS: &str = "/apis/machine.sapcloud.io/v1alpha1/namespaces/$ns/machinesets";

fn scale(version: Option<&str>, replicas: i64) -> Value {
    let mut scale = json!({ "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": { "name": "s", "namespace": "$ns" }, "spec": { "replicas": replicas } });
    if let Some(version) = version {
        scale["metadata"]["resourceVersion"] = json!(version);
    }
    scale
}

pub(super) fn cases() -> Vec<Case> {
    let set = json!({
        "apiVersion": "machine.sapcloud.io/v1alpha1", "kind": "MachineSet", "metadata": { "name": "s" },
        "spec": { "replicas": 2, "selector": { "matchLabels": { "a": "b" } }, "template": { "metadata": { "labels": { "a": "b" } }, "spec": { "class": { "kind": "MachineClass", "name": "c" } } } },
    });
    let path = format!("{SETS}/s/scale");
    vec![(
        "scales",
        vec![
            post(SETS, set).save("first"),
            get(path.clone()),
            merge(path.clone(), json!({ "spec": { "replicas": 3 } })).save("now"),
            merge(path.clone(), json!({ "spec": { "replicas": 3 } })),
            put(path.clone(), scale(Some("$rv:first;"), 4)),
            put(path.clone(), scale(Some("$rv:now;"), 4)),
            put(path.clone(), scale(None, 5)),
            merge(path.clone(), json!({ "spec": { "replicas": -1 } })),
            merge(path.clone(), json!({ "spec": { "replicas": 0 } })),
            merge(format!("{SETS}/s/status"), json!({ "status": { "replicas": 5 } })),
            get(path),
            get(format!("{SETS}/s")),
            get(format!("{SETS}/none/scale")),
        ],
    )]
}
