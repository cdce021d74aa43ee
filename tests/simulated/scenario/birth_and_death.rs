//! A machine of its own and a deployment of two come, one goes, all go.

use super::{last_look, look};
use crate::world::objects::{self, NAMESPACE};
use crate::world::{EndState, World};

pub(super) async fn play(world: &World) -> Vec<EndState> {
    world.apply(objects::secret());
    world.apply(objects::class(objects::CLASS));
    world.apply(objects::machine("solo"));
    world.apply(objects::deployment("pool", 2));
    world.start();
    world.until_running(3).await;
    let up = look(world).await;

    scale(world, 1);
    world.until("two machines are left", || world.operator.list("machines").len() == 2).await;
    let fewer = look(world).await;

    for (resource, name) in
        [("machinedeployments", "pool"), ("machines", "solo"), ("machineclasses", objects::CLASS)]
    {
        world.delete(resource, name);
    }
    let empty = last_look(world).await;
    vec![up, fewer, empty]
}

fn scale(world: &World, replicas: u32) {
    let scaled = world.operator.modify("machinedeployments", NAMESPACE, "pool", |deployment| {
        deployment["spec"]["replicas"] = replicas.into();
    });
    scaled.unwrap();
}
