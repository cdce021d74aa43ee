//! A deployment of five machines comes up, is rolled by a new class, and goes.

use std::time::{Duration, Instant};

use millwright_clouds::{Calls, Joiner};
use millwright_testbed::{
    Identity,
    ours::{CONTROL_NAMESPACE, start_controller},
};
use serde_json::{Value, json};

use crate::{
    house::{House, house},
    patience::until,
    world::World,
};

const MACHINES: usize = 5;
const API: &str = "machine.sapcloud.io/v1alpha1";

/// The whole run; it tells what was called in each part of it.
pub(crate) async fn up_roll_down(world: &dyn World) {
    let house = house().await;
    let _turn = house.turn.lock().await;
    let client = house.testbed.client(Identity::Admin).await.unwrap();
    let flags = world.flags();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let started = start_controller(&house.testbed, &house.controller, &flags).await;
    let mut controller = started.unwrap_or_else(|error| panic!("{error}"));
    let vms = world.joining();
    let joiner = Joiner::start(client, vms);
    let name = world.provider().to_lowercase();

    let began = Instant::now();
    house.apply("secret", &secret(&name, world)).await;
    house.apply("class-1", &class(&name, world, 1)).await;
    house.apply("deployment", &deployment(&name, 1)).await;
    settled(house, &name, 1).await;
    tell(world, "up", began);

    house.apply("class-2", &class(&name, world, 2)).await;
    house.apply("deployment", &deployment(&name, 2)).await;
    settled(house, &name, 2).await;
    tell(world, "rolled", began);

    house.delete(&["machinedeployment", &name]).await;
    until("machines, VMs and nodes are gone", async || {
        let machines = names(&house.get(&["machines", "--selector", &format!("name={name}")]).await?);
        let nodes = names(&house.get(&["nodes"]).await?);
        let left = world.left().await;
        if machines.is_empty() && nodes.is_empty() && left.is_empty() {
            return Ok(());
        }
        Err(format!("machines {machines:?}, nodes {nodes:?}, in the cloud {left:?}"))
    })
    .await;
    tell(world, "down", began);
    house.delete(&["machineclass", &format!("{name}-1"), &format!("{name}-2")]).await;
    house.delete(&["secret", &name]).await;
    until("the classes are gone", async || {
        let classes = names(&house.get(&["machineclasses"]).await?);
        if classes.is_empty() { Ok(()) } else { Err(format!("{classes:?}")) }
    })
    .await;

    drop(joiner);
    controller.process.terminate(Duration::from_secs(60)).await;
    let log = std::fs::read_to_string(controller.process.log()).unwrap();
    for (key, value) in world.secret().into_iter().filter(|(key, _)| is_secret(key)) {
        assert!(!log.contains(&value), "the log tells {key}");
    }
    assert_eq!(world.violations(), Vec::<String>::new());
    // Five were born, five more in their place.
    let most = world.changing_calls_of_a_life() * 2 * MACHINES;
    let Calls { changing, .. } = world.calls();
    assert!(changing <= most, "{changing} changing calls for {} machines: {}", 2 * MACHINES, world.told());
}

fn is_secret(key: &str) -> bool {
    ["secret", "password", "json"].iter().any(|part| key.to_lowercase().contains(part))
}

fn tell(world: &dyn World, what: &str, began: Instant) {
    let Calls { reading, changing } = world.calls();
    println!(
        "{} {what} after {} s: {changing} changing and {reading} reading calls so far: {}",
        world.provider(),
        began.elapsed().as_secs(),
        world.told()
    );
}

/// Exactly as many machines as wanted, all of that class and running, and the status says so.
async fn settled(house: &House, name: &str, generation: u32) {
    let class = format!("{name}-{generation}");
    until(&format!("{MACHINES} machines of {class} run"), async || {
        let machines = house.get(&["machines", "--selector", &format!("name={name}")]).await?;
        let machines = machines["items"].as_array().cloned().unwrap_or_default();
        let good = |machine: &&Value| {
            machine["status"]["currentStatus"]["phase"] == "Running"
                && machine["spec"]["class"]["name"] == class.as_str()
        };
        let status = house.get(&["machinedeployment", name]).await?["status"].clone();
        let is_settled = machines.len() == MACHINES
            && machines.iter().filter(good).count() == MACHINES
            && status["availableReplicas"] == MACHINES
            && status["updatedReplicas"] == MACHINES;
        if is_settled {
            return Ok(());
        }
        let told = machines.iter().map(|machine| {
            let (name, status) = (&machine["metadata"]["name"], &machine["status"]);
            format!("{name} {} {}", status["currentStatus"]["phase"], status["lastOperation"]["description"])
        });
        Err(told.collect::<Vec<_>>().join("\n"))
    })
    .await;
}

fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().cloned().unwrap_or_default();
    items.iter().map(|item| item["metadata"]["name"].as_str().unwrap_or_default().to_owned()).collect()
}

fn secret(name: &str, world: &dyn World) -> Value {
    let mut data =
        json!({ "userData": "#cloud-config\nhostname: <<MACHINE_NAME>>\n# <<BOOTSTRAP_TOKEN>>\n" });
    for (key, value) in world.secret() {
        data[key] = value.into();
    }
    json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": { "name": name, "namespace": CONTROL_NAMESPACE },
        "stringData": data,
    })
}

fn class(name: &str, world: &dyn World, generation: u32) -> Value {
    json!({
        "apiVersion": API,
        "kind": "MachineClass",
        "metadata": { "name": format!("{name}-{generation}"), "namespace": CONTROL_NAMESPACE },
        "provider": world.provider(),
        "secretRef": { "name": name, "namespace": CONTROL_NAMESPACE },
        "providerSpec": world.spec(generation),
    })
}

fn deployment(name: &str, generation: u32) -> Value {
    json!({
        "apiVersion": API,
        "kind": "MachineDeployment",
        "metadata": { "name": name, "namespace": CONTROL_NAMESPACE },
        "spec": {
            "replicas": MACHINES,
            "selector": { "matchLabels": { "name": name } },
            "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": 2, "maxUnavailable": 1 } },
            "template": {
                "metadata": { "labels": { "name": name } },
                "spec": { "class": { "kind": "MachineClass", "name": format!("{name}-{generation}") } },
            },
        },
    })
}
