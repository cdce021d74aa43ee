//! kubernetes-sigs/karpenter #1448, karpenter-provider-oci #97, karpenter-provider-hetzner #53 and #61: the process ended between the
//! creation of a VM and the note of its id; the next try made another one, or failed at the taken name for ever.

use super::prelude::*;
use crate::world::{Moment, Point, Signature};

fn play(moment: Moment) {
    let played = in_world(alone(), move |world| async move {
        let point = Point { signature: Signature::new(Party::Cloud, "create", "cloud vms", true), nth: 1 };
        world.conductor.set_plan(Plan::At { point, strike: Strike::Crash(moment), more: 0 });
        prepare(&world);
        world.apply(objects::machine("solo"));
        world.start();
        world.until_running(1).await;
        assert_eq!(world.starts(), 2);
        assert_eq!(world.cloud.vms().len(), 1);
        let id = &world.machine("solo").unwrap()["spec"]["providerID"];
        assert!(id.as_str().unwrap().ends_with(&world.cloud.vms()[0].id));
    });
    played.clean();
}

#[test]
fn a_crash_before_the_answer_adopts_the_vm() {
    play(Moment::Unanswered);
}

#[test]
fn a_crash_before_the_id_is_noted_adopts_the_vm() {
    play(Moment::After);
}
