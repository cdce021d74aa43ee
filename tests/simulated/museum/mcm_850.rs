//! gardener/machine-controller-manager #850 and #936: "VM not found" ended a deletion at once, and NIC and disk of a VM that never came
//! stayed, after the controller itself was gone with the last machine.

use super::prelude::*;

#[test]
fn parts_without_a_vm_go_with_their_machine() {
    let played = in_world(alone(), |world| async move {
        solo_running(&world).await;
        let id = world.cloud.vms()[0].id.clone();
        world.cloud.delete_vm_alone(&id).unwrap();
        assert_eq!((world.cloud.nics().len(), world.cloud.disks().len()), (1, 1));
        world.delete("machines", "solo");
        world.until("the machine is gone", || world.machine("solo").is_none()).await;
        assert_eq!((world.cloud.nics().len(), world.cloud.disks().len()), (0, 0), "no sweep is needed");
    });
    played.clean();
}
