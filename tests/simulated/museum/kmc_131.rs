//! kubermatic/machine-controller #131 and #224: a machine with wrong credentials or a wrong spec could not be deleted, because its VM
//! could not be looked up.

use super::prelude::*;

#[test]
fn a_machine_that_never_could_be_made_can_be_deleted() {
    let played = in_world(alone(), |world| async move {
        prepare(&world);
        world
            .operator
            .modify("machineclasses", NAMESPACE, objects::CLASS, |class| {
                class["providerSpec"]["size"] = "no-such-size".into();
            })
            .unwrap();
        world.apply(objects::machine("solo"));
        world.start();
        world.until("it fails", || world.phase("solo") == "CrashLoopBackOff").await;
        world.delete("machines", "solo");
        world.until("it is gone", || world.machine("solo").is_none()).await;
    });
    played.clean();
}
