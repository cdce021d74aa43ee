//! gardener/machine-controller-manager #984: a set's call to delete a machine failed, the machine was marked Terminating all the same,
//! and nobody asked for its deletion again.

use super::prelude::*;
use crate::world::{Point, Signature};
use millwright_simkube::Verdict;

#[test]
fn a_deletion_that_could_not_be_asked_for_is_asked_for_again() {
    let played = in_world(alone(), |world| async move {
        three_running(&world).await;
        let point =
            Point { signature: Signature::new(Party::Api, "delete", "machines/pool-x", true), nth: 1 };
        world.conductor.set_plan(Plan::At { point, strike: Strike::Api(Verdict::refuse(500)), more: 2 });
        scale(&world, 0);
        world
            .until("only the machine of its own is left", || world.operator.list("machines").len() == 1)
            .await;
        assert_eq!(world.cloud.vms().len(), 1);
    });
    assert!(played.struck > 0);
    played.clean();
}
