//! gardener/machine-controller-manager #298 (and #73, #313): without quota for the VM each try left one more NIC, hundreds of them, and
//! nobody deleted one.

use super::prelude::*;
use millwright_simcloud::{Effect, Fault, Operation};

#[test]
fn creations_that_fail_half_way_never_pile_up_parts() {
    let played = in_world(alone(), |world| async move {
        world.cloud.arm(Fault::always(Operation::CreateVm, Effect::LeaveLeftovers)).unwrap();
        prepare(&world);
        world.apply(objects::machine("solo"));
        world.start();
        for _ in 0..18 {
            world.rest(Duration::from_secs(60)).await;
            assert!(world.cloud.nics().len() <= 1, "{} NICs", world.cloud.nics().len());
            assert!(world.cloud.disks().len() <= 1, "{} disks", world.cloud.disks().len());
        }
        world.delete("machines", "solo");
        world
            .until("nothing is left", || {
                gone(&world) && world.cloud.nics().is_empty() && world.cloud.disks().is_empty()
            })
            .await;
    });
    played.clean();
}
