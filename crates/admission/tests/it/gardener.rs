//! Objects as Gardener makes and documents them: all are taken, and nothing is said against them.

use millwright_admission::{Change, Kind, NoFacts, Verdict, review};
use serde_json::{Value, json};

use crate::ask::{request, rulebook};

fn taken(kind: Kind, object: &Value) {
    let decision = review(&request(kind, Change::Create { new: object }), &NoFacts, &rulebook());
    let verdict = Verdict { errors: decision.errors, warnings: decision.warnings };
    assert_eq!(verdict, Verdict::default(), "{object:#}");
}

fn template() -> Value {
    json!({
        "metadata": {"labels": {"name": "shoot--foo--bar-worker-z1"}, "creationTimestamp": null},
        "spec": {
            "class": {"apiGroup": "machine.sapcloud.io", "kind": "MachineClass", "name": "shoot--foo--bar-worker-z1-30c59"},
            "creationTimeout": "20m0s", "drainTimeout": "2h0m0s", "healthTimeout": "10m0s", "inPlaceUpdateTimeout": "20m0s",
            "maxEvictRetries": 30,
            "nodeConditions": "ReadonlyFilesystem,KernelDeadlock,DiskPressure",
            "nodeTemplate": {
                "metadata": {
                    "creationTimestamp": null,
                    "annotations": {"worker.gardener.cloud/kubernetes-version": "1.33.4"},
                    "labels": {
                        "networking.gardener.cloud/node-local-dns-enabled": "false",
                        "node.kubernetes.io/role": "node",
                        "worker.gardener.cloud/cri-name": "containerd",
                        "worker.gardener.cloud/pool": "worker",
                        "worker.gardener.cloud/system-components": "true"
                    }
                },
                "spec": {"taints": [{"effect": "NoSchedule", "key": "node.gardener.cloud/critical-components-not-ready"}]}
            }
        }
    })
}

#[test]
fn a_worker_pool_of_a_shoot_is_taken() {
    taken(
        Kind::MachineDeployment,
        &json!({
            "apiVersion": "machine.sapcloud.io/v1alpha1",
            "kind": "MachineDeployment",
            "metadata": {"name": "shoot--foo--bar-worker-z1", "namespace": "shoot--foo--bar", "creationTimestamp": null},
            "spec": {
                "replicas": 1, "minReadySeconds": 500,
                "selector": {"matchLabels": {"name": "shoot--foo--bar-worker-z1"}},
                "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
                "template": template()
            },
            "status": {}
        }),
    );
}

#[test]
fn the_longest_name_that_gardener_allows_is_taken() {
    let name = format!("shoot--{}--{}-{}-z1", "p".repeat(10), "s".repeat(11), "w".repeat(15));
    let mut object = json!({
        "metadata": {"name": name, "namespace": "n"},
        "spec": {"replicas": 0, "selector": {"matchLabels": {"name": "shoot--foo--bar-worker-z1"}}, "template": template()}
    });
    taken(Kind::MachineDeployment, &object);
    object["spec"]["strategy"] = json!({
        "type": "InPlaceUpdate",
        "inPlaceUpdate": {"maxSurge": 0, "maxUnavailable": "20%", "orchestrationType": "Manual"}
    });
    taken(Kind::MachineDeployment, &object);
}

#[test]
fn a_set_and_a_machine_as_the_controllers_make_them_are_taken() {
    let owner = |kind: &str| {
        json!([{
            "apiVersion": "machine.sapcloud.io/v1alpha1", "kind": kind, "name": "shoot--foo--bar-worker-z1", "uid": "1-2-3",
            "controller": true, "blockOwnerDeletion": true
        }])
    };
    let hash = ("machine-template-hash", "2520381276");
    let mut template = template();
    template["metadata"]["labels"][hash.0] = json!(hash.1);
    let set = json!({
        "metadata": {
            "name": "shoot--foo--bar-worker-z1-6957f", "namespace": "shoot--foo--bar",
            "labels": {"name": "shoot--foo--bar-worker-z1", hash.0: hash.1},
            "annotations": {
                "deployment.kubernetes.io/desired-replicas": "1", "deployment.kubernetes.io/max-replicas": "2",
                "deployment.kubernetes.io/revision": "1"
            },
            "ownerReferences": owner("MachineDeployment")
        },
        "spec": {
            "machineClass": {}, "minReadySeconds": 500, "replicas": 1,
            "selector": {"matchLabels": {"name": "shoot--foo--bar-worker-z1", hash.0: hash.1}},
            "template": template
        },
        "status": {"lastOperation": {"lastUpdateTime": null}}
    });
    taken(Kind::MachineSet, &set);
    taken(
        Kind::Machine,
        &json!({
            "metadata": {
                "generateName": "shoot--foo--bar-worker-z1-6957f-",
                "name": "shoot--foo--bar-worker-z1-6957f-x2lwm", "namespace": "shoot--foo--bar",
                "labels": set["metadata"]["labels"], "ownerReferences": owner("MachineSet")
            },
            "spec": set["spec"]["template"]["spec"],
            "status": {"currentStatus": {"lastUpdateTime": null}, "lastOperation": {"lastUpdateTime": null}}
        }),
    );
}

#[test]
fn a_class_for_scaling_from_zero_is_taken() {
    taken(
        Kind::MachineClass,
        &json!({
            "apiVersion": "machine.sapcloud.io/v1alpha1",
            "kind": "MachineClass",
            "metadata": {
                "name": "shoot--foo--bar-worker-z1-30c59", "namespace": "shoot",
                "labels": {"gardener.cloud/purpose": "machineclass"}
            },
            "nodeTemplate": {
                "architecture": "amd64",
                "capacity": {"cpu": "2", "ephemeral-storage": "50Gi", "gpu": "0", "memory": "8Gi", "nvidia.com/gpu": 0},
                "virtualCapacity": {"subdomain.domain.com/resource-name": "1234567"},
                "instanceType": "m5.large", "region": "eu-west-1", "zone": "eu-west-1a"
            },
            "provider": "cloud",
            "providerSpec": {"size": "small", "tags": {"kubernetes.io/role/node": "1"}},
            "secretRef": {"name": "shoot--foo--bar-worker-z1-30c59", "namespace": "shoot"},
            "credentialsSecretRef": {"name": "cloudprovider", "namespace": "shoot"}
        }),
    );
}

#[test]
fn what_the_autoscalers_write_is_taken() {
    let mut group = json!({
        "metadata": {"name": "pool", "namespace": "n"},
        "spec": {"replicas": 3, "selector": {"matchLabels": {"name": "shoot--foo--bar-worker-z1"}}, "template": template()}
    });
    for (key, value) in [
        ("node.machine.sapcloud.io/trigger-deletion-by-mcm", "m-1~2026-03-04T05:06:07Z,m-2"),
        ("machine.sapcloud.io/last-deployment-replica-change-by-scaler-time", "2026-03-04T05:06:07Z"),
        ("machine.sapcloud.io/cluster-api-autoscaler-node-group-min-size", "0"),
        ("machine.sapcloud.io/cluster-api-autoscaler-node-group-max-size", "10"),
        ("capacity.cluster-autoscaler.kubernetes.io/cpu", "4"),
        ("capacity.cluster-autoscaler.kubernetes.io/memory", "16Gi"),
        ("capacity.cluster-autoscaler.kubernetes.io/maxPods", "110"),
        ("capacity.cluster-autoscaler.kubernetes.io/labels", "a=b,topology.kubernetes.io/zone=z"),
        ("capacity.cluster-autoscaler.kubernetes.io/taints", "a=b:NoSchedule,c:NoExecute"),
        ("machine.sapcloud.io/derived-autoscaler-capacity", "{}"),
        ("machine.sapcloud.io/autoscaling-options-scaledownutilizationthreshold", "0.5"),
        ("machine.sapcloud.io/autoscaling-options-maxnodeprovisiontime", "20m"),
    ] {
        group["metadata"]["annotations"][key] = json!(value);
    }
    taken(Kind::MachineDeployment, &group);
}
