//! What users write: a class with its Secret, machines, a deployment, pods and budgets.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

pub(crate) const NAMESPACE: &str = "fleet";
pub(crate) const CLASS: &str = "small";
/// Credentials: none of these may be seen anywhere but in Secrets and in requests to the cloud.
pub(crate) const TOKEN: &str = "cloud-token-0f3a77d1";
pub(crate) const PASSWORD: &str = "user-data-password-5be1";
pub(crate) const API_VERSION: &str = "machine.sapcloud.io/v1alpha1";

pub(crate) fn secret() -> Value {
    let user_data =
        format!("#cloud-config\npassword: {PASSWORD}\ntoken: <<BOOTSTRAP_TOKEN>>\nname: <<MACHINE_NAME>>\n");
    json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "metadata": {"name": CLASS, "namespace": NAMESPACE},
        "data": {"token": STANDARD.encode(TOKEN), "userData": STANDARD.encode(user_data)},
    })
}

pub(crate) fn class(name: &str) -> Value {
    json!({
        "apiVersion": API_VERSION, "kind": "MachineClass",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "provider": "local",
        "secretRef": {"name": CLASS, "namespace": NAMESPACE},
        "providerSpec": {
            "endpoint": "http://cloud.invalid", "size": "small", "image": "ubuntu-24.04", "zone": "local-a",
            "tags": {"kubernetes.io/cluster/one": "1", "kubernetes.io/role/node": "1"},
            "boot": {"mode": "never"},
        },
    })
}

pub(crate) fn machine(name: &str) -> Value {
    json!({
        "apiVersion": API_VERSION, "kind": "Machine",
        "metadata": {"name": name, "namespace": NAMESPACE, "labels": {"pool": "solo"}},
        "spec": {
            "class": {"kind": "MachineClass", "name": CLASS},
            "nodeTemplate": {
                "metadata": {"labels": {"worker": "solo"}},
                "spec": {"taints": [{"key": "dedicated", "value": "solo", "effect": "NoSchedule"}]},
            },
        },
    })
}

pub(crate) fn deployment(name: &str, replicas: u32) -> Value {
    json!({
        "apiVersion": API_VERSION, "kind": "MachineDeployment",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"pool": name}},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "template": {
                "metadata": {"labels": {"pool": name}},
                "spec": {"class": {"kind": "MachineClass", "name": CLASS}},
            },
        },
    })
}

/// The owner reference of whatever made it.
pub(crate) fn controller(object: &Value) -> &Value {
    &object["metadata"]["ownerReferences"][0]
}

pub(crate) fn pod(name: &str, node: &str, app: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "work", "labels": {"app": app}},
        "spec": {
            "nodeName": node, "terminationGracePeriodSeconds": 30,
            "containers": [{"name": "main", "image": "example.invalid/main"}],
        },
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    })
}

pub(crate) fn budget(app: &str, min_available: u32) -> Value {
    json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": app, "namespace": "work"},
        "spec": {"minAvailable": min_available, "selector": {"matchLabels": {"app": app}}},
    })
}

/// A pod whose data is on a volume.
pub(crate) fn pod_with_volume(name: &str, node: &str, volume: &str) -> Value {
    let mut pod = pod(name, node, name);
    pod["metadata"]["labels"]["volume"] = json!(volume);
    pod["spec"]["volumes"] = json!([{"name": "data", "persistentVolumeClaim": {"claimName": volume}}]);
    pod
}

/// The claim of a volume and the volume, a disk of the cloud.
pub(crate) fn volume(name: &str, disk: &str) -> [Value; 2] {
    [
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "namespace": "work"},
            "spec": {"volumeName": name, "accessModes": ["ReadWriteOnce"]}, "status": {"phase": "Bound"},
        }),
        json!({
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": {"name": name},
            "spec": {
                "csi": {"driver": DRIVER, "volumeHandle": disk}, "accessModes": ["ReadWriteOnce"],
                "persistentVolumeReclaimPolicy": "Retain", "claimRef": {"namespace": "work", "name": name},
            },
            "status": {"phase": "Bound"},
        }),
    ]
}

pub(crate) fn attachment(name: &str, volume: &str, node: &str) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
        "metadata": {"name": name},
        "spec": {"attacher": DRIVER, "nodeName": node, "source": {"persistentVolumeName": volume}},
        "status": {"attached": true},
    })
}

/// What a node calls a disk that is attached to it.
pub(crate) fn attached(disk: &str) -> Value {
    json!({"name": format!("kubernetes.io/csi/{DRIVER}^{disk}"), "devicePath": ""})
}

const DRIVER: &str = "disk.simcloud.millwright.dev";
