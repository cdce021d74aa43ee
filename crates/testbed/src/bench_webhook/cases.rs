//! What is asked: the reviews that an API server sends for usual objects, right and wrong ones.

use serde_json::{Value, json};

use crate::ours::CONTROL_NAMESPACE;

/// A question.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) path: &'static str,
    pub(super) body: Vec<u8>,
    pub(super) expected: Expected,
}

/// The answer it must get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// Allowed, with defaults.
    Patched,
    /// Allowed as it is.
    Allowed,
    /// Refused.
    Refused,
}

impl Expected {
    pub(super) fn is(self, answer: &[u8]) -> bool {
        let Ok(review) = serde_json::from_slice::<Value>(answer) else { return false };
        let response = &review["response"];
        let found = match (response["allowed"].as_bool(), response["patch"].is_string()) {
            (Some(true), true) => Self::Patched,
            (Some(true), false) => Self::Allowed,
            _ => Self::Refused,
        };
        found == self
    }
}

/// All of them. Each create is asked as the API server asks: for defaults first.
pub(super) fn cases() -> Vec<Case> {
    let mut wrong_class = class();
    wrong_class["providerSpec"]["size"] = json!("");
    wrong_class["providerSpec"]["diskGiB"] = json!(0);
    wrong_class["providerSpec"]["tags"] = json!({});
    let mut other_class = class();
    other_class["metadata"]["labels"] = json!({"team": "b"});
    let mut sparse_class = class();
    for field in ["network", "boot"] {
        if let Some(spec) = sparse_class["providerSpec"].as_object_mut() {
            spec.remove(field);
        }
    }
    let mut wrong_deployment = deployment();
    wrong_deployment["spec"]["replicas"] = json!(-1);
    wrong_deployment["spec"]["strategy"]["rollingUpdate"]["maxSurge"] = json!("lots");
    wrong_deployment["spec"]["template"]["spec"]["drainTimeout"] = json!("2 hours");
    let mut sparse_deployment = deployment();
    if let Some(spec) = sparse_deployment["spec"].as_object_mut() {
        spec.remove("strategy");
    }
    let mut scaled = deployment();
    scaled["spec"]["replicas"] = json!(5);
    let (class, deployment) = (class(), deployment());
    let case = |name, path, new: &Value, old: Option<&Value>, expected| Case {
        name,
        path,
        body: review(new, old).to_string().into_bytes(),
        expected,
    };
    use Expected::{Allowed, Patched, Refused};
    vec![
        case("class create, defaults", "/mutate", &sparse_class, None, Patched),
        case("class create", "/validate", &class, None, Allowed),
        case("class create, wrong", "/mutate", &wrong_class, None, Refused),
        case("class update", "/validate", &other_class, Some(&class), Allowed),
        case("deployment create, defaults", "/mutate", &sparse_deployment, None, Patched),
        case("deployment create", "/validate", &deployment, None, Allowed),
        case("deployment create, wrong", "/mutate", &wrong_deployment, None, Refused),
        case("deployment scale", "/validate", &scaled, Some(&deployment), Allowed),
    ]
}

/// A class that is right and complete.
pub(super) fn class() -> Value {
    json!({
        "apiVersion": "machine.sapcloud.io/v1alpha1",
        "kind": "MachineClass",
        "metadata": {"name": "bench", "namespace": CONTROL_NAMESPACE, "labels": {"team": "a"}},
        "provider": "local",
        "secretRef": {"name": "bench", "namespace": CONTROL_NAMESPACE},
        "nodeTemplate": {
            "capacity": {"cpu": "2", "memory": "8Gi", "gpu": "0"},
            "instanceType": "small", "region": "local", "zone": "local-a"
        },
        "providerSpec": {
            "endpoint": "http://127.0.0.1:8090", "size": "small", "image": "ubuntu-24.04", "zone": "local-a",
            "diskGiB": 20, "network": "default",
            "tags": {"kubernetes.io/cluster/bench": "1", "kubernetes.io/role/node": "1"},
            "boot": {"mode": "kubelet", "delay": "1s"}
        }
    })
}

fn deployment() -> Value {
    json!({
        "apiVersion": "machine.sapcloud.io/v1alpha1",
        "kind": "MachineDeployment",
        "metadata": {"name": "bench", "namespace": CONTROL_NAMESPACE},
        "spec": {
            "replicas": 3,
            "minReadySeconds": 5,
            "selector": {"matchLabels": {"name": "bench"}},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "template": {
                "metadata": {"labels": {"name": "bench"}},
                "spec": {
                    "class": {"kind": "MachineClass", "name": "bench"},
                    "drainTimeout": "2h", "healthTimeout": "10m", "creationTimeout": "20m",
                    "nodeTemplate": {
                        "metadata": {"labels": {"node.kubernetes.io/pool": "bench"}},
                        "spec": {"taints": [{"key": "dedicated", "value": "bench", "effect": "NoSchedule"}]}
                    }
                }
            }
        }
    })
}

fn review(new: &Value, old: Option<&Value>) -> Value {
    let (kind, resource) = match new["kind"].as_str() {
        Some("MachineClass") => ("MachineClass", "machineclasses"),
        _ => ("MachineDeployment", "machinedeployments"),
    };
    let group = json!({"group": "machine.sapcloud.io", "version": "v1alpha1", "kind": kind});
    let resource = json!({"group": "machine.sapcloud.io", "version": "v1alpha1", "resource": resource});
    json!({
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "4b3a8e26-6d1c-4c77-9f5e-0d9d2f6ac001",
            "kind": group, "resource": resource, "requestKind": group, "requestResource": resource,
            "name": "bench", "namespace": CONTROL_NAMESPACE,
            "operation": if old.is_some() { "UPDATE" } else { "CREATE" },
            "userInfo": {"username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"]},
            "object": stored(new), "oldObject": old.map(stored),
            "dryRun": false,
            "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "kubectl-client-side-apply"}
        }
    })
}

/// With what an API server adds before it asks.
fn stored(object: &Value) -> Value {
    let mut stored = object.clone();
    stored["metadata"]["uid"] = json!("0f9b2f3c-5a4e-4d55-8b0f-2f1f4b7ac002");
    stored["metadata"]["creationTimestamp"] = json!("2026-11-21T00:00:00Z");
    stored["metadata"]["generation"] = json!(1);
    stored["metadata"]["managedFields"] = json!([{
        "manager": "kubectl-client-side-apply", "operation": "Update", "apiVersion": "machine.sapcloud.io/v1alpha1",
        "time": "2026-11-21T00:00:00Z", "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": {"f:labels": {".": {}, "f:team": {}}}, "f:spec": {".": {}, "f:replicas": {}}}
    }]);
    stored
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_apart() {
        for (answer, expected) in [
            (r#"{"response":{"allowed":true,"patch":"W10="}}"#, Expected::Patched),
            (r#"{"response":{"allowed":true}}"#, Expected::Allowed),
            (r#"{"response":{"allowed":false}}"#, Expected::Refused),
        ] {
            for other in [Expected::Patched, Expected::Allowed, Expected::Refused] {
                assert_eq!(other.is(answer.as_bytes()), other == expected, "{answer}");
            }
        }
    }

    #[test]
    fn an_update_carries_the_old_object_and_a_create_none() {
        let cases = cases();
        let of = |name: &str| -> Value {
            serde_json::from_slice(&cases.iter().find(|case| case.name == name).unwrap().body).unwrap()
        };
        assert_eq!(of("deployment scale")["request"]["oldObject"]["spec"]["replicas"], 3);
        assert_eq!(of("deployment scale")["request"]["operation"], "UPDATE");
        assert!(of("class create")["request"]["oldObject"].is_null());
    }
}
