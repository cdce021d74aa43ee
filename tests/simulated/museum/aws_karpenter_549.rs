//! aws/karpenter-provider-aws #549: of a thousand nodes that were scaled down at once, a tenth of the VMs stayed.

use super::prelude::*;
use millwright_simcloud::{Effect, Fault, Operation};

#[test]
fn many_deletions_at_once_under_a_throttling_cloud_leave_nothing() {
    let played = in_world(alone(), |world| async move {
        prepare(&world);
        world.apply(objects::deployment("pool", 40));
        world.start();
        world.until_running(40).await;
        let throttled = Effect::Throttle { retry_after_seconds: 3 };
        let fault = Fault { nth: 5, count: Some(30), ..Fault::once(Operation::DeleteVm, throttled) };
        world.cloud.arm(fault).unwrap();
        scale(&world, 0);
        world
            .until("nothing is left", || {
                world.operator.list("machines").is_empty()
                    && world.cloud.vms().is_empty()
                    && world.cloud.nics().is_empty()
            })
            .await;
    });
    played.clean();
}
