//! gardener/machine-controller-manager #772 and #773: a VM took long to boot, its bootstrap token had run out by then, and it never
//! joined.

use super::prelude::*;

#[test]
fn a_vm_that_joins_late_still_finds_its_token_valid() {
    let played = in_world(alone(), |world| async move {
        prepare(&world);
        world.mute.lock().push("solo".to_owned());
        world.apply(objects::machine("solo"));
        world.start();
        world.rest(Duration::from_secs(18 * 60)).await;
        world.mute.lock().clear();
        world.changed.notify_waiters();
        world.until_running(1).await;
        world.until("its token is gone", || world.tokens().is_empty()).await;
    });
    played.clean();
}

#[test]
fn a_vm_that_never_joins_is_replaced_and_leaves_no_token() {
    let played = in_world(alone(), |world| async move {
        prepare(&world);
        world.apply(objects::deployment("pool", 1));
        world.start();
        world.until("its VM is there", || world.cloud.vms().len() == 1).await;
        let first = world.cloud.vms()[0].name.clone();
        world.mute.lock().push(first.clone());
        world
            .until("another one runs", || {
                running(&world) == 1 && world.operator.get("machines", NAMESPACE, &first).is_none()
            })
            .await;
        world.until("no token is left", || world.tokens().is_empty()).await;
        assert_eq!(world.cloud.vms().len(), 1);
    });
    played.clean();
}
