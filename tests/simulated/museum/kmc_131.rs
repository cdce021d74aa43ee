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

#[test]
fn a_machine_whose_credentials_were_wrong_from_the_start_says_so_and_goes_when_they_are_mended() {
    let played = in_world(alone(), |world| async move {
        prepare(&world);
        let with_token = |token: &str| {
            let token = token.to_owned();
            let secret = world.operator.modify("secrets", NAMESPACE, objects::CLASS, move |secret| {
                secret["data"]["token"] = token.clone().into();
            });
            secret.unwrap();
        };
        with_token("bm8tc3VjaC10b2tlbg==");
        world.apply(objects::machine("solo"));
        world.start();
        world.until("it fails", || world.phase("solo") == "CrashLoopBackOff").await;
        world.delete("machines", "solo");
        // A cloud that knows us not can't say that there is no VM.
        let says_why = || {
            let machine = world.machine("solo").unwrap_or_default();
            let text =
                machine["status"]["lastOperation"]["description"].as_str().unwrap_or_default().to_owned();
            world.machine("solo").is_none() || text.contains("Unauthenticated")
        };
        world.until("it goes, or says why it cannot", says_why).await;
        with_token(objects::secret()["data"]["token"].as_str().unwrap());
        let mended = world.conductor.elapsed();
        world.until("it is gone", || world.machine("solo").is_none()).await;
        assert!(world.conductor.elapsed() - mended < Duration::from_secs(60), "a changed Secret wakes it");
    });
    played.clean();
}

#[test]
fn a_machine_whose_credentials_never_were_there_can_be_deleted() {
    let played = in_world(alone(), |world| async move {
        prepare(&world);
        assert!(world.operator.remove("secrets", NAMESPACE, objects::CLASS));
        world.apply(objects::machine("solo"));
        world.start();
        world.rest(Duration::from_secs(60)).await;
        world.delete("machines", "solo");
        world.until("it is gone", || world.machine("solo").is_none()).await;
    });
    played.clean();
}
