//! Sets that grow and shrink by much: never a machine too many, frozen and let go once, and never in the way of a scale-up.

use std::time::Duration;

use serde_json::{Value, json};

use crate::world::objects;
use crate::world::{Plan, Setting, World, in_world};

fn scale(world: &World, replicas: u32) {
    world
        .operator
        .modify("machinedeployments", objects::NAMESPACE, "pool", |pool| {
            pool["spec"]["replicas"] = json!(replicas);
        })
        .unwrap();
}

/// How many Event objects there are of a reason.
fn told(world: &World, reason: &str) -> usize {
    world.operator.list("events").iter().filter(|event| event["reason"] == reason).count()
}

fn is_deleting(machine: &Value) -> bool {
    machine["metadata"]["deletionTimestamp"].is_string()
}

/// Machines that nobody asked to go.
fn staying(world: &World) -> usize {
    world.operator.list("machines").iter().filter(|machine| !is_deleting(machine)).count()
}

#[test]
fn a_fleet_goes_from_131_to_3_to_50_without_a_machine_too_many_and_the_freeze_blocks_nothing() {
    let played = in_world(Setting::alone(Plan::default()), async |world| {
        world.apply(objects::secret());
        world.apply(objects::class(objects::CLASS));
        world.apply(objects::deployment("pool", 131));
        world.start();
        world.until_running(131).await;
        assert_eq!(told(&world, "FrozeMachineSet"), 0);
        scale(&world, 3);
        world.until("it is frozen", || told(&world, "FrozeMachineSet") == 1).await;
        world.until("128 are on their way out", || staying(&world) == 3).await;
        scale(&world, 50);
        world.until("47 are made at once", || staying(&world) == 50).await;
        world.until_running(50).await;
        world.rest(Duration::from_secs(60)).await;
        assert_eq!((told(&world, "FrozeMachineSet"), told(&world, "UnfrozeMachineSet")), (1, 1));
        assert_eq!(world.cloud.vms().len(), 50);
        let pool = world.operator.get("machinedeployments", objects::NAMESPACE, "pool").unwrap();
        let conditions = pool["status"]["conditions"].as_array().unwrap();
        let types: Vec<&str> = conditions.iter().filter_map(|c| c["type"].as_str()).collect();
        assert_eq!(types, ["Available", "Progressing"]);
        assert_eq!(pool["metadata"]["labels"]["freeze"], Value::Null);
        world.must_rest().await;
        world.delete("machinedeployments", "pool");
        world.until("no machine is left", || world.operator.list("machines").is_empty()).await;
        world.delete("machineclasses", objects::CLASS);
        world.until_empty().await;
    });
    played.clean();
}
