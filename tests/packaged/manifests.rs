//! The objects that tests apply.

use serde_json::{Value, json};

const API: &str = "machine.sapcloud.io/v1alpha1";

/// A class of the simulated cloud whose VMs boot at once.
pub(crate) fn class(name: &str, cluster: &str, endpoint: &str) -> Value {
    json!({
        "apiVersion": API,
        "kind": "MachineClass",
        "metadata": { "name": name },
        "provider": "local",
        "secretRef": { "name": "cloud" },
        "providerSpec": {
            "endpoint": endpoint,
            "size": "small",
            "image": "ubuntu-24.04",
            "zone": "local-a",
            "tags": { (format!("kubernetes.io/cluster/{cluster}")): "1", "kubernetes.io/role/node": "1" },
            "boot": { "delay": "100ms" },
        },
    })
}

/// A deployment that rolls one by one and never has fewer than wanted.
pub(crate) fn deployment(name: &str, class: &str, replicas: u32) -> Value {
    json!({
        "apiVersion": API,
        "kind": "MachineDeployment",
        "metadata": { "name": name },
        "spec": {
            "replicas": replicas,
            "selector": { "matchLabels": { "name": name } },
            "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } },
            "template": {
                "metadata": { "labels": { "name": name } },
                "spec": {
                    "class": { "kind": "MachineClass", "name": class },
                    "nodeTemplate": { "metadata": { "labels": { "node.kubernetes.io/pool": name } } },
                },
            },
        },
    })
}

/// The Secret that the classes name; its user data joins by bootstrap token.
pub(crate) fn secret(token: &str, kubeconfig: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": { "name": "cloud" },
        "stringData": { "token": token, "userData": user_data(kubeconfig) },
    })
}

fn user_data(kubeconfig: &str) -> String {
    let content: String = kubeconfig.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "#cloud-config\nhostname: <<MACHINE_NAME>>\nwrite_files:\n- path: /etc/kubernetes/bootstrap-kubeconfig\n  \
         permissions: \"0600\"\n  content: |\n{content}"
    )
}

/// A pod on a node, without a scheduler's help.
pub(crate) fn pod(name: &str, node: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": name, "labels": { "app": name } },
        "spec": {
            "nodeName": node,
            "automountServiceAccountToken": false,
            "terminationGracePeriodSeconds": 1,
            "containers": [{ "name": "main", "image": "none" }],
        },
    })
}

/// A pod of the same application that never gets a node.
pub(crate) fn waiting_pod(name: &str, app: &str) -> Value {
    let mut pod = pod(name, "");
    pod["metadata"]["labels"]["app"] = json!(app);
    pod["spec"]["schedulingGates"] = json!([{ "name": "millwright.test/never" }]);
    pod["spec"]["nodeName"] = Value::Null;
    pod
}

/// A budget that wants one pod of an application to stay.
pub(crate) fn budget(name: &str, app: &str) -> Value {
    json!({
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": { "name": name },
        "spec": { "minAvailable": 1, "selector": { "matchLabels": { "app": app } } },
    })
}
