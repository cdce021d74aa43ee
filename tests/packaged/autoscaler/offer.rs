//! What a group says of itself: what its nodes would offer, and that it is paused.

use serde_json::{Value, json};

use super::whole::read;
use crate::fleet::Fleet;
use crate::runtime::run;

const CPU: &str = "capacity.cluster-autoscaler.kubernetes.io/cpu";
const MEMORY: &str = "capacity.cluster-autoscaler.kubernetes.io/memory";
const PAUSED: &str = "cluster.x-k8s.io/paused";

async fn until_it_says(fleet: &Fleet, expected: &[(&str, Value)]) {
    fleet
        .until(&format!("{expected:?}"), async |fleet| {
            let deployment = read(fleet, "machinedeployment", &fleet.namespace).await;
            let annotations = &deployment["metadata"]["annotations"];
            expected.iter().all(|(key, value)| annotations[*key] == *value).then_some(())
        })
        .await;
}

async fn patch(fleet: &Fleet, kind: &str, name: &str, patch: Value) {
    fleet.kubectl_must(&["patch", kind, name, "--type=merge", "-p", &patch.to_string()]).await;
}

#[test]
fn a_group_offers_what_its_class_says_and_is_hidden_while_it_is_paused() {
    run(async {
        let fleet = Fleet::start("ca-offer", &[]).await;
        let capacity = |cpu| json!({ "cpu": cpu, "gpu": "0", "memory": "16Gi" });
        let mut class = fleet.class("v2");
        class["nodeTemplate"] = json!({
            "capacity": capacity("4"), "instanceType": "small", "region": "local", "zone": "local-a",
        });
        fleet.apply(&class).await;
        let mut deployment = fleet.deployment("v2", 0);
        deployment["metadata"]["annotations"] = json!({
            "machine.sapcloud.io/cluster-api-autoscaler-node-group-min-size": "0",
            "machine.sapcloud.io/cluster-api-autoscaler-node-group-max-size": "3",
            MEMORY: "12Gi",
        });
        fleet.apply(&deployment).await;
        until_it_says(&fleet, &[(CPU, json!("4")), (MEMORY, json!("12Gi"))]).await;
        patch(&fleet, "machineclass", "v2", json!({ "nodeTemplate": { "capacity": capacity("8") } })).await;
        until_it_says(&fleet, &[(CPU, json!("8")), (MEMORY, json!("12Gi"))]).await;
        patch(&fleet, "machinedeployment", &fleet.namespace, json!({ "spec": { "paused": true } })).await;
        until_it_says(&fleet, &[(PAUSED, json!("spec.paused"))]).await;
        // What was applied does not name them, so applying it again leaves them.
        fleet.apply(&deployment).await;
        until_it_says(&fleet, &[(CPU, json!("8")), (PAUSED, json!("spec.paused"))]).await;
        patch(&fleet, "machinedeployment", &fleet.namespace, json!({ "spec": { "paused": false } })).await;
        until_it_says(&fleet, &[(PAUSED, Value::Null), (CPU, json!("8"))]).await;
        fleet.close().await;
    });
}
