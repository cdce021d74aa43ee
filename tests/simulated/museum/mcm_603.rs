//! gardener/machine-controller-manager #603: a class that was made invalid after its machines were born blocked every one of their
//! deletions; a wrong class was a line in a log.

use super::prelude::*;

#[test]
fn a_class_that_became_invalid_never_holds_a_deletion() {
    let played = in_world(alone(), |world| async move {
        solo_running(&world).await;
        let spoilt = world.operator.modify("machineclasses", NAMESPACE, objects::CLASS, |class| {
            class["providerSpec"] = serde_json::json!({"size": 7, "tags": "none"});
        });
        spoilt.unwrap();
        world.delete("machines", "solo");
        world.until("machine, VM and node are gone", || gone(&world)).await;
    });
    played.clean();
}
