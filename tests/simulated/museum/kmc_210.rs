//! kubermatic/machine-controller #210, cluster-api #11915: while the creation failed for good, each try made one more bootstrap token,
//! thousands of them.

use super::prelude::*;
use millwright_simcloud::{Code, Effect, Fault, Operation};

#[test]
fn a_creation_that_fails_for_ever_has_one_token_and_few_tries() {
    let played = in_world(alone(), |world| async move {
        let refused = Effect::Error { code: Code::InvalidArgument, message: None };
        world.cloud.arm(Fault::always(Operation::CreateVm, refused)).unwrap();
        prepare(&world);
        world.apply(objects::machine("solo"));
        world.start();
        for _ in 0..60 {
            world.rest(Duration::from_secs(60)).await;
            assert!(world.tokens().len() <= 1, "{:?}", world.tokens());
        }
        let tries =
            world.conductor.log().iter().filter(|l| l.point.signature.text == "create cloud vms").count();
        assert!(tries <= 60, "{tries} tries in an hour");
        world.delete("machines", "solo");
        world.until("it is gone", || world.machine("solo").is_none() && world.tokens().is_empty()).await;
    });
    played.clean();
}
