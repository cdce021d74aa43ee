//! What becomes of machines that live: kept to be looked at, and updated in place. The whole controller comes to rest after
//! each step, and at the end nothing is left.

use std::time::Duration;

use serde_json::{Value, json};

use crate::world::objects;
use crate::world::{Plan, Setting, World, in_world};

const PRESERVE: &str = "node.machine.sapcloud.io/preserve";

fn node(world: &World, name: &str) -> Value {
    world.operator.get("nodes", "", name).unwrap_or_default()
}

fn condition<'a>(node: &'a Value, type_: &str) -> &'a Value {
    let conditions = node["status"]["conditions"].as_array();
    conditions
        .and_then(|list| list.iter().find(|condition| condition["type"] == type_))
        .unwrap_or(&Value::Null)
}

fn change_node(world: &World, name: &str, change: impl FnOnce(&mut Value)) {
    world.operator.modify("nodes", "", name, change).unwrap();
}

fn set_ready(world: &World, name: &str, status: &str) {
    change_node(world, name, |node| {
        for condition in node["status"]["conditions"].as_array_mut().unwrap() {
            if condition["type"] == "Ready" {
                condition["status"] = json!(status);
            }
        }
    });
}

fn expiry(world: &World, name: &str) -> Value {
    world.machine(name).unwrap_or_default()["status"]["currentStatus"]["preserveExpiryTime"].clone()
}

async fn ends_empty(world: &World) {
    world.delete("machinedeployments", "pool");
    world.delete("machines", "solo");
    world.until("no machine is left", || world.operator.list("machines").is_empty()).await;
    world.delete("machineclasses", objects::CLASS);
    world.until_empty().await;
    settles(world).await;
}

/// What was begun comes to its end, and then nothing is written any more.
async fn settles(world: &World) {
    world.rest(Duration::from_secs(60)).await;
    world.must_rest().await;
}

fn begin(world: &World) {
    world.apply(objects::secret());
    world.apply(objects::class(objects::CLASS));
}

#[test]
fn a_failed_machine_is_kept_drained_and_let_go_when_nobody_wants_it_any_more() {
    let played = in_world(Setting::alone(Plan::default()), async |world| {
        begin(&world);
        world.apply(objects::deployment("pool", 1));
        world.start();
        world.until_running(1).await;
        let name = world.operator.list("machines")[0]["metadata"]["name"].as_str().unwrap().to_owned();
        world.apply(objects::pod("web-1", &name, "web"));
        change_node(&world, &name, |node| node["metadata"]["annotations"][PRESERVE] = json!("when-failed"));
        settles(&world).await;
        assert_eq!(expiry(&world, &name), Value::Null, "it has not failed");
        // Its kubelet will have been silent for more than five minutes.
        world.invariants.forced.lock().push(name.clone());
        set_ready(&world, &name, "Unknown");
        world.until("it is kept", || expiry(&world, &name).is_string()).await;
        world
            .until("it is drained", || condition(&node(&world, &name), "Preserved")["status"] == "True")
            .await;
        settles(&world).await;
        assert_eq!(world.phase(&name), "Failed");
        assert!(world.operator.list("pods").is_empty());
        let kept = node(&world, &name);
        assert!(
            condition(&kept, "Preserved")["message"].as_str().unwrap().starts_with("Preserved node drained")
        );
        assert_eq!(kept["spec"]["taints"][0]["key"], "node.machine.sapcloud.io/preserved");
        assert_ne!(kept["spec"]["unschedulable"], json!(true));
        assert_eq!(world.operator.list("machines").len(), 1, "nobody replaces it");
        // It recovers, and fails once more.
        set_ready(&world, &name, "True");
        world.until("it runs", || world.phase(&name) == "Running").await;
        settles(&world).await;
        assert_eq!(expiry(&world, &name), Value::Null);
        assert_eq!(node(&world, &name)["spec"]["taints"].as_array().map_or(0, Vec::len), 0);
        set_ready(&world, &name, "Unknown");
        world.until("it is kept again", || expiry(&world, &name).is_string()).await;
        settles(&world).await;
        change_node(&world, &name, |node| node["metadata"]["annotations"][PRESERVE] = json!("false"));
        world.until("it is replaced", || world.machine(&name).is_none()).await;
        world.until_running(1).await;
        ends_empty(&world).await;
    });
    played.clean();
}

#[test]
fn a_set_keeps_a_failed_machine_by_itself_until_its_time_is_over_and_only_once() {
    let played = in_world(Setting::alone(Plan::default()), async |world| {
        begin(&world);
        let mut pool = objects::deployment("pool", 1);
        pool["spec"]["autoPreserveFailedMachineMax"] = json!(1);
        pool["spec"]["template"]["spec"]["machinePreserveTimeout"] = json!("6h");
        world.apply(pool);
        world.start();
        world.until_running(1).await;
        let name = world.operator.list("machines")[0]["metadata"]["name"].as_str().unwrap().to_owned();
        set_ready(&world, &name, "Unknown");
        world.until("it is kept", || expiry(&world, &name).is_string()).await;
        settles(&world).await;
        let set = &world.operator.list("machinesets")[0];
        assert_eq!(set["status"]["autoPreserveFailedMachineCount"], 1);
        assert_eq!(set["status"]["preservedFailedReplicas"], 1);
        world.rest(Duration::from_secs(6 * 3600)).await;
        world.until("it is replaced", || world.machine(&name).is_none()).await;
        world.until_running(1).await;
        ends_empty(&world).await;
    });
    played.clean();
}

#[test]
fn a_node_is_drained_updated_in_place_and_runs_again() {
    let played = in_world(Setting::alone(Plan::default()), async |world| {
        begin(&world);
        world.apply(objects::machine("solo"));
        world.start();
        world.until_running(1).await;
        world.apply(objects::pod("web-1", "solo", "web"));
        let label = |key: &str, value: &str| {
            change_node(&world, "solo", |node| {
                node["metadata"]["labels"][format!("node.machine.sapcloud.io/{key}")] = json!(value)
            });
        };
        let reason = || condition(&node(&world, "solo"), "InPlaceUpdate")["reason"].clone();
        label("candidate-for-update", "true");
        world.until("it is a candidate", || reason() == "CandidateForUpdate").await;
        settles(&world).await;
        assert_eq!(world.phase("solo"), "Running");
        label("selected-for-update", "true");
        world.until("its agent may update it", || reason() == "ReadyForUpdate").await;
        assert_eq!(world.phase("solo"), "InPlaceUpdating");
        assert!(world.operator.list("pods").is_empty());
        assert_eq!(node(&world, "solo")["spec"]["unschedulable"], json!(true));
        set_ready(&world, "solo", "False");
        world.rest(Duration::from_secs(600)).await;
        assert_eq!(world.phase("solo"), "InPlaceUpdating", "its health is not judged");
        set_ready(&world, "solo", "True");
        label("update-result", "successful");
        world.until("it runs again", || world.phase("solo") == "Running").await;
        settles(&world).await;
        assert_eq!(reason(), "UpdateSuccessful");
        let machine = world.machine("solo").unwrap();
        let said =
            machine["status"]["conditions"].as_array().unwrap().iter().find(|c| c["type"] == "InPlaceUpdate");
        assert_eq!(said.unwrap()["reason"], "UpdateSuccessful", "the deployment reads it there");
        ends_empty(&world).await;
    });
    played.clean();
}
