//! kubermatic/machine-controller #381 (open): one VM was deleted by hand, and three new ones came for it.

use super::prelude::*;

#[test]
fn a_vm_that_was_deleted_by_hand_is_replaced_by_exactly_one() {
    let played = in_world(alone(), |world| async move {
        three_running(&world).await;
        let victim = world.cloud.vms().into_iter().find(|vm| vm.name.starts_with("pool-")).unwrap();
        world.cloud.delete_vm(&victim.id).unwrap();
        world.changed.notify_waiters();
        world
            .until("it is replaced", || {
                let replaced = world.operator.get("machines", NAMESPACE, &victim.name).is_none();
                replaced && running(&world) == 3
            })
            .await;
        world.rest(Duration::from_secs(1800)).await;
        assert_eq!((world.cloud.vms().len(), running(&world)), (3, 3));
        let made =
            world.conductor.log().iter().filter(|l| l.point.signature.text == "create cloud vms").count();
        assert_eq!(made, 4, "three at first and one more");
    });
    played.clean();
}
