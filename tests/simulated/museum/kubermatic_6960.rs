//! kubermatic/kubermatic #6960: the cloud's list did not show the newest VM yet, so the controller made a second one.

use super::prelude::*;
use crate::world::{Moment, Point, Signature};
use millwright_simcloud::{Effect, Fault, Operation};

#[test]
fn a_vm_that_lists_do_not_show_yet_is_never_made_twice() {
    let played = in_world(alone(), |world| async move {
        world.cloud.arm(Fault::once(Operation::CreateVm, Effect::ListLag { seconds: 1200.0 })).unwrap();
        let point = Point { signature: Signature::new(Party::Cloud, "create", "cloud vms", true), nth: 1 };
        world.conductor.set_plan(Plan::At { point, strike: Strike::Crash(Moment::Unanswered), more: 0 });
        prepare(&world);
        world.apply(objects::machine("solo"));
        world.start();
        world.until_running(1).await;
        world.rest(Duration::from_secs(3600)).await;
        assert_eq!(world.cloud.vms().len(), 1);
    });
    played.clean();
}
