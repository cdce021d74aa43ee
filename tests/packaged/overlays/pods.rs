//! How our pods run, in every installation: as the strictest pod security standard asks, with bounded memory, and spread.

use serde_json::{Value, json};

use super::build::installations;
use crate::house::quiet_house;
use crate::runtime::run;

#[test]
fn every_pod_is_as_restricted_as_can_be() {
    run(async {
        let house = quiet_house().await;
        let mut seen = 0;
        for installation in installations() {
            for object in installation.objects(house).await {
                let kind = object["kind"].as_str().unwrap();
                let known = ["Job", "CronJob", "DaemonSet", "StatefulSet", "Pod", "ReplicaSet"];
                assert!(!known.contains(&kind), "{}: {kind} is looked at by no test", installation.name);
                if kind == "Deployment" {
                    seen += 1;
                    judge(&format!("{}: {}", installation.name, object["metadata"]["name"]), &object["spec"]);
                }
            }
        }
        assert!(seen > 20, "{seen} Deployments only");
    });
}

fn judge(name: &str, deployment: &Value) {
    let pod = &deployment["template"]["spec"];
    let security = &pod["securityContext"];
    assert_eq!(security["runAsNonRoot"], true, "{name}");
    assert!(security["runAsUser"].as_i64().unwrap() > 0, "{name}");
    assert_eq!(security["seccompProfile"]["type"], "RuntimeDefault", "{name}");
    for field in ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace"] {
        assert_eq!(pod[field], Value::Null, "{name}: {field}");
    }
    assert_eq!(pod["enableServiceLinks"], false, "{name}");
    assert!(pod["serviceAccountName"].is_string(), "{name} would run as the default account");
    assert_eq!(pod["initContainers"], Value::Null, "{name}");
    for container in pod["containers"].as_array().unwrap() {
        let security = &container["securityContext"];
        assert_eq!(security["allowPrivilegeEscalation"], false, "{name}");
        assert_eq!(security["readOnlyRootFilesystem"], true, "{name}");
        assert_eq!(security["capabilities"], json!({ "drop": ["ALL"] }), "{name}");
        assert_eq!(security["privileged"], Value::Null, "{name}");
        let resources = &container["resources"];
        assert!(resources["requests"]["cpu"].is_string(), "{name}");
        assert!(resources["requests"]["memory"].is_string(), "{name}");
        assert!(resources["limits"]["memory"].is_string(), "{name}");
        for probe in ["livenessProbe", "readinessProbe"] {
            assert!(container[probe]["httpGet"]["path"].is_string(), "{name}: {probe}");
        }
    }
    for volume in pod["volumes"].as_array().into_iter().flatten() {
        let kinds: Vec<_> = volume.as_object().unwrap().keys().filter(|key| *key != "name").collect();
        let known = ["secret", "configMap", "projected", "emptyDir"];
        assert!(kinds.iter().all(|kind| known.contains(&kind.as_str())), "{name}: {volume}");
    }
    let spread = pod["topologySpreadConstraints"].as_array().unwrap();
    assert!(spread.iter().any(|rule| rule["topologyKey"] == "kubernetes.io/hostname"), "{name}");
    assert!(deployment["replicas"].as_i64().unwrap() >= 2, "{name}");
    let grace = pod["terminationGracePeriodSeconds"].as_i64().unwrap();
    assert!(grace >= 30, "{name}: work under way gets 20 s, and it takes a while to begin");
}

#[test]
fn the_high_availability_installation_keeps_its_promises() {
    run(async {
        let house = quiet_house().await;
        let installation =
            installations().into_iter().find(|one| one.name == "deploy/high-availability").unwrap();
        let objects = installation.objects(house).await;
        let of = |kind: &str| objects.iter().filter(|object| object["kind"] == kind).collect::<Vec<_>>();
        let deployments = of("Deployment");
        assert_eq!(deployments.len(), 2);
        for deployment in &deployments {
            let pod = &deployment["spec"]["template"]["spec"];
            assert_eq!(pod["priorityClassName"], "system-cluster-critical");
            let keys: Vec<_> = pod["topologySpreadConstraints"]
                .as_array()
                .unwrap()
                .iter()
                .map(|rule| rule["topologyKey"].as_str().unwrap())
                .collect();
            assert_eq!(keys, ["topology.kubernetes.io/zone", "kubernetes.io/hostname"]);
            // A webhook on a node that waits for its own replacement would hold that up.
            assert!(pod["affinity"]["nodeAffinity"].is_object());
        }
        let budgets = of("PodDisruptionBudget");
        assert_eq!(budgets.len(), 2);
        for budget in budgets {
            assert_eq!(budget["spec"]["unhealthyPodEvictionPolicy"], "AlwaysAllow");
            assert_eq!(budget["spec"]["maxUnavailable"], 1);
        }
        // Without a quota that names it, some clusters refuse the priority class outside of kube-system.
        assert_eq!(of("ResourceQuota").len(), 1);
    });
}
