//! Built-in kinds: which of them count generations, default, or can be written blindly.

use serde_json::{Value, json};

use super::{CONFIG_MAPS, Case, PODS, SECRETS, account, config_map, pod, with};
use crate::step::{delete, get, merge, post, put, strategic};

const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/$ns/leases";
const VOLUMES: &str = "/api/v1/persistentvolumes";
const ATTACHMENTS: &str = "/apis/storage.k8s.io/v1/volumeattachments";

fn node() -> Value {
    json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "$ns-n" }, "spec": { "providerID": "p" }, "status": { "capacity": { "cpu": "1" } } })
}

fn lease(version: Option<&str>) -> Value {
    let mut lease = json!({ "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": { "name": "l" }, "spec": { "holderIdentity": "us", "leaseDurationSeconds": 15, "leaseTransitions": 0 } });
    if let Some(version) = version {
        lease["metadata"]["resourceVersion"] = json!(version);
    }
    lease
}

pub(super) fn cases() -> Vec<Case> {
    let cm = format!("{CONFIG_MAPS}/a");
    let node_path = "/api/v1/nodes/$ns-n";
    let ready = json!([{ "type": "Ready", "status": "True", "reason": "KubeletReady", "message": "m" }]);
    let volume = json!({ "apiVersion": "v1", "kind": "PersistentVolume", "metadata": { "name": "$ns-v", "finalizers": ["kubernetes.io/pv-protection"] }, "spec": { "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteOnce"], "csi": { "driver": "d", "volumeHandle": "h" } } });
    let attachment = json!({ "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": { "name": "$ns-a" }, "spec": { "attacher": "d", "nodeName": "$ns-n", "source": { "persistentVolumeName": "$ns-v" } } });
    vec![
        (
            "config-maps",
            vec![
                post(CONFIG_MAPS, config_map("a")).save("first"),
                put(cm.clone(), config_map("a")),
                put(cm.clone(), with(config_map("a"), "labels", json!({ "l": "1" }))).save("now"),
                put(cm.clone(), with(config_map("a"), "resourceVersion", json!("$rv:first;"))),
                put(cm.clone(), with(config_map("a"), "uid", json!("other"))),
                put(cm.clone(), with(config_map("a"), "uid", json!("$uid:now;"))),
                put(format!("{CONFIG_MAPS}/none"), config_map("none")),
                post(CONFIG_MAPS, json!({ "metadata": { "name": "untyped" } })),
                merge(cm.clone(), json!({ "data": { "k": null } })),
                merge(cm.clone(), json!({ "data": null })),
                get(format!("{cm}/status")),
                delete(cm),
            ],
        ),
        (
            "secrets",
            vec![
                post(
                    SECRETS,
                    json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s" }, "stringData": { "k": "v" } }),
                ),
                merge(format!("{SECRETS}/s"), json!({ "stringData": { "k": "w", "l": "x" } })),
                merge(
                    format!("{SECRETS}/s"),
                    json!({ "metadata": { "finalizers": ["machine.sapcloud.io/machine-controller"] } }),
                ),
                post(
                    SECRETS,
                    json!({ "apiVersion": "v1", "kind": "Secret", "type": "bootstrap.kubernetes.io/token", "metadata": { "name": "bootstrap-token-abcdef" }, "stringData": { "token-id": "abcdef" } }),
                ),
                get(format!("{SECRETS}?fieldSelector=type%3DOpaque")),
                get(format!("{SECRETS}/s"))
                    .accept("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"),
                get(SECRETS).accept("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"),
                merge(format!("{SECRETS}/s"), json!({ "metadata": { "labels": { "a": "b" } } }))
                    .accept("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"),
            ],
        ),
        (
            "leases",
            vec![
                post(LEASES, lease(None)).save("first"),
                put(format!("{LEASES}/l"), lease(Some("$rv:first;"))),
                put(format!("{LEASES}/l"), lease(None)),
                merge(format!("{LEASES}/l"), json!({ "spec": { "holderIdentity": "them" } })),
                put(format!("{LEASES}/l"), lease(Some("$rv:first;"))),
                delete(format!("{LEASES}/l")),
                put(format!("{LEASES}/l"), lease(None)),
            ],
        ),
        (
            "nodes",
            vec![
                post("/api/v1/nodes", node()).save("first"),
                merge(
                    node_path,
                    json!({ "spec": { "unschedulable": true }, "status": { "capacity": { "cpu": "9" } } }),
                ),
                merge(
                    format!("{node_path}/status"),
                    json!({ "metadata": { "labels": { "by": "status" } }, "spec": { "unschedulable": false }, "status": { "conditions": ready } }),
                ),
                strategic(
                    format!("{node_path}/status"),
                    json!({ "status": { "conditions": [{ "type": "Extra", "status": "False", "reason": "r", "message": "m" }] } }),
                ),
                strategic(
                    format!("{node_path}/status"),
                    json!({ "status": { "conditions": [{ "type": "Ready", "status": "False" }], "capacity": { "example.com/gpu": "1" } } }),
                ),
                strategic(node_path, json!({ "metadata": { "finalizers": ["test.io/one"] } })),
                strategic(node_path, json!({ "metadata": { "finalizers": ["test.io/two"] } })),
                get("/api/v1/nodes?fieldSelector=spec.unschedulable%3Dtrue,metadata.name%3D$ns-n"),
                get("/api/v1/nodes?fieldSelector=spec.providerID%3Dp"),
                delete(node_path),
                merge(node_path, json!({ "metadata": { "finalizers": null } })),
                delete(node_path),
            ],
        ),
        (
            "pods",
            vec![
                account(),
                post(PODS, pod("p")).save("now"),
                merge(format!("{PODS}/p"), json!({ "status": { "phase": "Running" } })),
                merge(
                    format!("{PODS}/p/status"),
                    json!({ "metadata": { "labels": { "by": "status" } }, "status": { "phase": "Running", "conditions": ready } }),
                ),
                merge(format!("{PODS}/p"), json!({ "metadata": { "annotations": { "a": "b" } } })),
                get(format!("{PODS}?fieldSelector=spec.nodeName%3Dsomewhere")),
                get(format!("{PODS}?fieldSelector=spec.nodeName%3Delsewhere")),
                get(format!("{PODS}?fieldSelector=status.phase!%3DRunning")),
                get("/api/v1/pods?fieldSelector=metadata.namespace%3D$ns"),
                get(format!("{PODS}?fieldSelector=spec.nope%3D1")),
            ],
        ),
        (
            "volumes",
            vec![
                post(VOLUMES, volume),
                merge(format!("{VOLUMES}/$ns-v"), json!({ "metadata": { "finalizers": null } })),
                delete(format!("{VOLUMES}/$ns-v")),
                post(ATTACHMENTS, attachment).save("a"),
                merge(
                    format!("{ATTACHMENTS}/$ns-a/status"),
                    json!({ "metadata": { "labels": { "by": "status" } }, "status": { "attached": true } }),
                ),
                merge(
                    format!("{ATTACHMENTS}/$ns-a"),
                    json!({ "metadata": { "finalizers": ["external-attacher/d"] }, "status": { "attached": false } }),
                ),
                delete(format!("{ATTACHMENTS}/$ns-a")),
                merge(format!("{ATTACHMENTS}/$ns-a"), json!({ "metadata": { "finalizers": [] } })),
                get(format!("{ATTACHMENTS}/$ns-a")),
            ],
        ),
        (
            "events",
            vec![
                post(
                    "/api/v1/namespaces/$ns/events",
                    json!({ "apiVersion": "v1", "kind": "Event", "metadata": { "name": "e" }, "involvedObject": { "kind": "Machine", "namespace": "$ns", "name": "a" }, "reason": "Made", "type": "Normal", "count": 1 }),
                ),
                merge("/api/v1/namespaces/$ns/events/e", json!({ "count": 2 })),
                get("/api/v1/namespaces/$ns/events?fieldSelector=involvedObject.name%3Da"),
            ],
        ),
        (
            "paths",
            vec![
                get("/apis/none.example.com/v1/things"),
                get("/api/v1/namespaces/$ns/nothings"),
                post(PODS.replace("/namespaces/$ns", ""), pod("p")),
            ],
        ),
    ]
}
