//! Gardener's fork: sizes and choices in one write of the whole deployment.

use serde_json::{Value, json};

use super::whole::{change, is_conflict, is_rolled_out, read, replace};
use crate::fleet::Fleet;
use crate::runtime::run;

const TRIGGER: &str = "node.machine.sapcloud.io/trigger-deletion-by-mcm";
const CHANGED: &str = "machine.sapcloud.io/last-deployment-replica-change-by-scaler-time";

#[expect(clippy::disallowed_methods, reason = "the autoscaler is simulated here, and has a clock")]
fn now() -> String {
    jiff::Timestamp::now().round(jiff::Unit::Second).unwrap().to_string()
}

/// The deployment, smaller by one machine, which it names.
fn smaller(deployment: &mut Value, machine: &str) {
    let now = now();
    deployment["spec"]["replicas"] = json!(deployment["spec"]["replicas"].as_i64().unwrap() - 1);
    deployment["metadata"]["annotations"][TRIGGER] = json!(format!("{machine}~{now}"));
    deployment["metadata"]["annotations"][CHANGED] = json!(now);
}

async fn must_have_lost(fleet: &Fleet, before: &[String], chosen: &str) {
    let left = fleet.settled(before.len() - 1).await;
    let expected: Vec<&String> = before.iter().filter(|name| *name != chosen).collect();
    assert_eq!(left.iter().collect::<Vec<_>>(), expected, "{chosen} was chosen");
    fleet
        .until("the choice is done with", async |fleet| {
            let deployment = read(fleet, "machinedeployment", &fleet.namespace).await;
            deployment["metadata"]["annotations"].get(TRIGGER).is_none().then_some(())
        })
        .await;
}

#[test]
fn the_machine_that_gardeners_autoscaler_names_goes_also_after_a_conflict_with_our_status() {
    run(async {
        let fleet = Fleet::start("ca-gardener", &[]).await;
        fleet.apply(&fleet.deployment("v1", 2)).await;
        fleet.settled(2).await;
        let mut old = read(&fleet, "machinedeployment", &fleet.namespace).await;
        // Growth: the whole object, only the size differs.
        change(&fleet, "machinedeployment", &fleet.namespace, |deployment| {
            deployment["spec"]["replicas"] = json!(4);
        })
        .await;
        let mut machines = fleet.settled(4).await;
        machines.sort();
        // Neither the oldest nor the first by name would have to go by any other rule.
        let chosen = machines.last().unwrap().clone();
        smaller(&mut old, &chosen);
        let said = replace(&fleet, &old).await;
        assert!(is_conflict(&said), "what was read before our status is old: {}", said.stderr);
        change(&fleet, "machinedeployment", &fleet.namespace, |deployment| smaller(deployment, &chosen))
            .await;
        must_have_lost(&fleet, &machines, &chosen).await;
        fleet.close().await;
    });
}

#[test]
fn a_scale_down_that_is_overtaken_by_a_scale_up_replaces_the_machine_that_was_named() {
    run(async {
        let fleet = Fleet::start("ca-overtaken", &[]).await;
        fleet.apply(&fleet.deployment("v1", 3)).await;
        let mut machines = fleet.settled(3).await;
        machines.sort();
        let chosen = machines.last().unwrap().clone();
        change(&fleet, "machinedeployment", &fleet.namespace, |deployment| smaller(deployment, &chosen))
            .await;
        change(&fleet, "machinedeployment", &fleet.namespace, |deployment| {
            deployment["spec"]["replicas"] = json!(3);
        })
        .await;
        fleet
            .until("the machine that was named is gone", async |fleet| {
                (!fleet.history.now().contains_key(&chosen)).then_some(())
            })
            .await;
        let left = fleet.settled(3).await;
        assert!(machines.iter().filter(|name| **name != chosen).all(|name| left.contains(name)), "{left:?}");
        fleet.close().await;
    });
}

#[test]
fn a_deployment_that_rolls_is_seen_to_roll_until_it_has_rolled() {
    run(async {
        let fleet = Fleet::start("ca-rolling", &[]).await;
        fleet.apply(&fleet.deployment("v1", 2)).await;
        fleet.settled(2).await;
        let name = fleet.namespace.clone();
        assert!(is_rolled_out(&read(&fleet, "machinedeployment", &name).await));
        // Slow enough to be looked at.
        let mut class = fleet.class("v2");
        class["providerSpec"]["boot"]["delay"] = json!("10s");
        fleet.apply(&class).await;
        let patch = r#"{"spec":{"template":{"spec":{"class":{"name":"v2"}}}}}"#;
        fleet.kubectl_must(&["patch", "machinedeployment", &name, "--type=merge", "-p", patch]).await;
        // The upstream autoscaler: the set of the highest revision is the newest, and another one still has machines.
        fleet
            .until("two revisions are there while the deployment rolls", async |fleet| {
                let selector = format!("cluster.x-k8s.io/deployment-name={}", fleet.namespace);
                let text = fleet.kubectl_must(&["get", "machinesets", "-l", &selector, "-o", "json"]).await;
                let sets: Value = serde_json::from_str(&text).unwrap();
                let with_machines = sets["items"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter(|set| set["spec"]["replicas"].as_i64().unwrap_or_default() > 0);
                let revisions: Vec<&str> = with_machines
                    .filter_map(|set| {
                        set["metadata"]["annotations"]["machinedeployment.clusters.x-k8s.io/revision"]
                            .as_str()
                    })
                    .collect();
                let rolls = !is_rolled_out(&read(fleet, "machinedeployment", &fleet.namespace).await);
                (rolls && revisions.contains(&"1") && revisions.contains(&"2")).then_some(())
            })
            .await;
        fleet
            .until("it has rolled", async |fleet| {
                let now = fleet.history.now();
                let is_new = now.values().all(|machine| machine.spec.class.name == "v2");
                let deployment = read(fleet, "machinedeployment", &fleet.namespace).await;
                (is_new && now.len() == 2 && is_rolled_out(&deployment)).then_some(())
            })
            .await;
        fleet.settled(2).await;
        fleet.close().await;
    });
}
