//! kubermatic/machine-controller #581: the finalizer came after the creation, so that a machine that was deleted meanwhile left its VM
//! behind.

use super::prelude::*;
use millwright_simcloud::{Effect, Fault, Operation};

#[test]
fn a_machine_deleted_while_its_vm_is_made_leaves_no_vm() {
    let played = in_world(alone(), |world| async move {
        world.cloud.arm(Fault::once(Operation::CreateVm, Effect::Latency { seconds: 20.0 })).unwrap();
        prepare(&world);
        world.apply(objects::machine("solo"));
        world.start();
        world.rest(Duration::from_secs(5)).await;
        world.delete("machines", "solo");
        world.until("machine and VM are gone", || gone(&world)).await;
        world.rest(Duration::from_secs(120)).await;
        assert!(world.cloud.vms().is_empty(), "none comes later");
    });
    played.clean();
}
