//! kubermatic/machine-controller #1015: all that belonged to the machine was gone, its clean-up finalizers stayed.

use super::prelude::*;

#[test]
fn a_machine_whose_vm_and_node_are_gone_already_loses_its_finalizer() {
    let played = in_world(alone(), |world| async move {
        solo_running(&world).await;
        world.delete("machines", "solo");
        let id = world.cloud.vms().first().map(|vm| vm.id.clone());
        if let Some(id) = id {
            let _ = world.cloud.delete_vm(&id);
        }
        world.operator.remove("nodes", "", "solo");
        world.until("it is gone", || gone(&world)).await;
    });
    played.clean();
}
