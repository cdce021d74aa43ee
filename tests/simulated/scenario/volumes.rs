//! A pod with data leaves its node, its volume is detached there and attached elsewhere before the VM goes; then the other node
//! goes, and nobody takes the volume. The volume itself outlives them all.

use millwright_simcloud::CreateDisk;
use serde_json::json;

use super::{last_look, look};
use crate::world::objects;
use crate::world::{EndState, World};

const VOLUME: &str = "pv-1";

pub(super) async fn play(world: &World) -> Vec<EndState> {
    world.apply(objects::secret());
    world.apply(objects::class(objects::CLASS));
    world.apply(objects::machine("solo"));
    world.apply(objects::machine("other"));
    world.start();
    world.until_running(2).await;
    let disk =
        CreateDisk { name: VOLUME.into(), zone: "local-a".into(), size_gib: 5, tags: Default::default() };
    let disk = world.cloud.attach_new_disk(disk, &vm(world, "solo")).unwrap().id;
    for object in objects::volume(VOLUME, &disk) {
        world.apply(object);
    }
    attach(world, "attachment-1", &disk, "solo");
    world.apply(objects::pod_with_volume("db", "solo", VOLUME));
    world.apply(objects::pod("web", "solo", "web"));
    let up = look(world).await;

    world.delete("machines", "solo");
    world.until("it is detached", || world.operator.list("volumeattachments").is_empty()).await;
    if world.cloud.vms().iter().any(|vm| vm.name == "other") {
        let _ = world.cloud.attach_disk(&disk, &vm(world, "other"));
    }
    attach(world, "attachment-2", &disk, "other");
    world.apply(objects::pod_with_volume("db-2", "other", VOLUME));
    world.until("the drained machine is gone", || world.machine("solo").is_none()).await;
    let moved = look(world).await;

    world.delete("machines", "other");
    world.until("the other machine is gone", || world.machine("other").is_none()).await;
    world.delete("machineclasses", objects::CLASS);
    let empty = last_look(world).await;
    vec![up, moved, empty]
}

fn vm(world: &World, name: &str) -> String {
    world.cloud.vms().into_iter().find(|vm| vm.name == name).unwrap().id
}

fn attach(world: &World, name: &str, disk: &str, node: &str) {
    world.apply(objects::attachment(name, VOLUME, node));
    let told = world.operator.modify("nodes", "", node, |node| {
        node["status"]["volumesAttached"] = json!([objects::attached(disk)]);
    });
    told.unwrap();
}
