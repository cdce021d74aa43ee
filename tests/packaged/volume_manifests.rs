//! The objects of pods that have disks of the cloud.

use serde_json::{Value, json};

use crate::attacher::DRIVER;

/// A persistent volume of one claim, which is a disk of the simulated cloud.
pub(crate) fn volume(name: &str, disk: &str, namespace: &str, claim: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": { "name": name },
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "capacity": { "storage": "1Gi" },
            "claimRef": { "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace, "name": claim },
            "csi": { "driver": DRIVER, "volumeHandle": disk },
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": "",
        },
    })
}

/// Pods with a volume each, on nodes of one pool.
pub(crate) fn stateful_set(name: &str, replicas: usize, pool: &str) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": { "name": name },
        "spec": {
            "replicas": replicas,
            "serviceName": name,
            "podManagementPolicy": "Parallel",
            "selector": { "matchLabels": { "app": name } },
            "template": {
                "metadata": { "labels": { "app": name } },
                "spec": {
                    "nodeSelector": { "node.kubernetes.io/pool": pool },
                    "automountServiceAccountToken": false,
                    "terminationGracePeriodSeconds": 1,
                    "containers": [{
                        "name": "main",
                        "image": "none",
                        "volumeMounts": [{ "name": "data", "mountPath": "/data" }],
                    }],
                },
            },
            "volumeClaimTemplates": [{
                "metadata": { "name": "data" },
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "resources": { "requests": { "storage": "1Gi" } },
                    "storageClassName": "",
                },
            }],
        },
    })
}
