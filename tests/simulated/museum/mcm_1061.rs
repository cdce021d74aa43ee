//! gardener/machine-controller-manager #1061: a machine whose class was deleted first stayed Terminating for ever, and so did its VM
//! and its node.

use super::prelude::*;

#[test]
fn a_machine_whose_class_is_gone_can_be_deleted_with_its_vm_and_node() {
    let played = in_world(alone(), |world| async move {
        solo_running(&world).await;
        assert!(world.operator.remove("machineclasses", NAMESPACE, objects::CLASS));
        world.delete("machines", "solo");
        world.until("machine, VM and node are gone", || gone(&world)).await;
    });
    played.clean();
}

#[test]
fn also_by_a_controller_that_never_saw_the_class() {
    let played = in_world(alone(), |world| async move {
        solo_running(&world).await;
        assert!(world.operator.remove("machineclasses", NAMESPACE, objects::CLASS));
        world.kill();
        world.delete("machines", "solo");
        world.until("machine, VM and node are gone", || gone(&world)).await;
    });
    played.clean();
}
