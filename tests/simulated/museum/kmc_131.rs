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

/// A machine that fails for want of credentials is deleted. A cloud that does not know us can't say that there is no VM: so the
/// machine may wait for them, but must say so, and go soon after they are there.
fn goes_once_there_are_credentials(spoil: impl FnOnce(&World) + 'static, says: &'static str) {
    let played = in_world(alone(), move |world| async move {
        prepare(&world);
        spoil(&world);
        world.apply(objects::machine("solo"));
        world.start();
        world.rest(Duration::from_secs(60)).await;
        world.delete("machines", "solo");
        let says_why = || {
            world.machine("solo").is_none_or(|machine| {
                machine["status"]["lastOperation"]["description"]
                    .as_str()
                    .is_some_and(|text| text.contains(says))
            })
        };
        world.until("it goes, or says why it cannot", says_why).await;
        world.apply(objects::secret());
        let mended = world.conductor.elapsed();
        world.until("it is gone", || world.machine("solo").is_none()).await;
        assert!(world.conductor.elapsed() - mended < Duration::from_secs(120), "a changed Secret wakes it");
    });
    played.clean();
}

#[test]
fn a_machine_whose_credentials_were_wrong_from_the_start_says_so_and_goes_when_they_are_mended() {
    let spoil = |world: &World| {
        let secret = world.operator.modify("secrets", NAMESPACE, objects::CLASS, |secret| {
            secret["data"]["token"] = "bm8tc3VjaC10b2tlbg==".into();
        });
        secret.unwrap();
    };
    goes_once_there_are_credentials(spoil, "Unauthenticated");
}

#[test]
fn a_machine_whose_credentials_never_were_there_says_so_and_goes_when_they_are() {
    let spoil = |world: &World| assert!(world.operator.remove("secrets", NAMESPACE, objects::CLASS));
    goes_once_there_are_credentials(spoil, "Secret");
}
