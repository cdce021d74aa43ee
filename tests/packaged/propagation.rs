//! What a template may change without a machine being replaced.

use serde_json::json;

use crate::fleet::Fleet;
use crate::runtime::run;
use crate::standing::Standing;

#[test]
fn labels_taints_and_time_outs_of_a_template_reach_machines_and_nodes_without_a_rollout() {
    run(async {
        let fleet = Fleet::start("spread", &[]).await;
        fleet.apply(&fleet.deployment("v1", 2)).await;
        let machines = fleet.settled(2).await;
        let standing = Standing::of(&fleet);
        let taint = json!({ "key": "example.com/dedicated", "value": "batch", "effect": "NoSchedule" });
        let node_template = json!({
            "metadata": { "labels": { "example.com/tier": "gold" }, "annotations": { "example.com/note": "kept" } },
            "spec": { "taints": [taint] },
        });
        let spec = json!({ "nodeTemplate": node_template, "creationTimeout": "35m0s" });
        fleet.patch(&json!({ "spec": { "template": { "spec": spec } } })).await;
        for machine in &machines {
            fleet
                .until(&format!("node {machine} has all of it"), async |fleet| {
                    let node = fleet.get(&["node", machine]).await?;
                    let taints = node["spec"]["taints"].as_array()?;
                    let has_all = node["metadata"]["labels"]["example.com/tier"] == "gold"
                        && node["metadata"]["annotations"]["example.com/note"] == "kept"
                        && taints.iter().any(|found| found["key"] == taint["key"]);
                    has_all.then_some(())
                })
                .await;
            let machine = fleet.get(&["machine", machine]).await.unwrap();
            assert_eq!(machine["spec"]["creationTimeout"], "35m0s");
        }
        // And what is taken away goes.
        let none =
            json!({ "metadata": { "labels": { "example.com/tier": null } }, "spec": { "taints": null } });
        fleet.patch(&json!({ "spec": { "template": { "spec": { "nodeTemplate": none } } } })).await;
        for machine in &machines {
            fleet
                .until(&format!("node {machine} has lost it"), async |fleet| {
                    let node = fleet.get(&["node", machine]).await?;
                    let taints = node["spec"]["taints"].as_array().cloned().unwrap_or_default();
                    let is_clean = node["metadata"]["labels"]["example.com/tier"].is_null()
                        && taints.iter().all(|found| found["key"] != taint["key"]);
                    is_clean.then_some(())
                })
                .await;
        }
        fleet.settled(2).await;
        standing.must_be_untouched(&fleet);
        fleet.close().await;
    });
}
