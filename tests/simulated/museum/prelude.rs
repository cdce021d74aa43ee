//! What most of the museum needs.

pub(super) use std::time::Duration;

pub(super) use crate::world::objects::{self, NAMESPACE};
pub(super) use crate::world::{Party, Plan, Setting, Strike, World, in_world};

/// A controller without rivals.
pub(super) fn alone() -> Setting {
    Setting::alone(Plan::Calm)
}

/// A class with its Secret.
pub(super) fn prepare(world: &World) {
    world.apply(objects::secret());
    world.apply(objects::class(objects::CLASS));
}

/// One machine of its own runs.
pub(super) async fn solo_running(world: &World) {
    prepare(world);
    world.apply(objects::machine("solo"));
    world.start();
    world.until_running(1).await;
}

/// A machine of its own and a deployment of two run.
pub(super) async fn three_running(world: &World) {
    prepare(world);
    world.apply(objects::machine("solo"));
    world.apply(objects::deployment("pool", 2));
    world.start();
    world.until_running(3).await;
}

/// Gives the deployment another size.
pub(super) fn scale(world: &World, replicas: u32) {
    let scaled = world.operator.modify("machinedeployments", NAMESPACE, "pool", |deployment| {
        deployment["spec"]["replicas"] = replicas.into();
    });
    scaled.unwrap();
}

/// How many machines run.
pub(super) fn running(world: &World) -> usize {
    let machines = world.operator.list("machines");
    machines.iter().filter(|machine| machine["status"]["currentStatus"]["phase"] == "Running").count()
}

/// Every VM there is.
pub(super) fn vm_ids(world: &World) -> Vec<String> {
    world.cloud.vms().into_iter().map(|vm| vm.id).collect()
}

/// No machine, no VM and no node is left.
pub(super) fn gone(world: &World) -> bool {
    world.operator.list("machines").is_empty()
        && world.cloud.vms().is_empty()
        && world.operator.list("nodes").is_empty()
}
