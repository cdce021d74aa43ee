//! Points about creation: one VM for a machine, and nobody else's VM touched.

use std::time::Duration;

use millwright_api::MachineCode;

use super::scene::{Scene, machine, must, must_fail};
use super::{Bench, Broken, Call, Census, Effect, Kept, Offered, Owner, Refusal, Verdict, When, expect_that};

/// Longer than a point takes, so that no list shows the VM in time.
const LAG: Duration = Duration::from_secs(3600);
/// How long a call whose answer is lost is waited for.
const SHORT: Duration = Duration::from_secs(2);

/// A second creation for the same UID finds the first one's VM.
pub async fn create_twice_makes_one_vm(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let first = must("create", scene.create(&mut machine(1)).await)?;
    let before = scene.cloud.census().await;
    let second = must("create once more", scene.create(&mut machine(1)).await)?;
    expect_that(first.provider_id == second.provider_id, || {
        format!(
            "both creations must return {:?}; the second returned {:?}",
            first.provider_id, second.provider_id
        )
    })?;
    scene.expect_census(Census { vms: 1, ..before }, "after two creations of one machine").await?;
    Ok(Kept::Yes)
}

/// When the answer of the creating call is lost, the next creation takes up that VM.
pub async fn create_after_a_lost_reply_makes_one_vm(bench: &dyn Bench) -> Verdict {
    let mut scene = Scene::set(bench).await;
    let patience = std::mem::replace(&mut scene.patience, SHORT);
    let mut machine = machine(1);
    scene.strike(Call::CreateVm, When::Nth(1), Effect::LoseReply).await;
    // Its own retry may have succeeded; what counts is what exists afterwards.
    let _lost = scene.create(&mut machine).await;
    scene.cloud.clear_faults().await;
    scene.patience = patience;
    must("create after a lost reply", scene.create(&mut machine).await)?;
    let seen = scene.cloud.census().await;
    expect_that(seen.vms == 1, || {
        format!("after a lost reply and a retry there must be 1 VM, there are {seen}")
    })?;
    Ok(Kept::Yes)
}

/// A list that does not show the VM yet is no reason to make a second one: the idempotency key counts.
pub async fn create_while_lists_lag_makes_one_vm(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    if scene.cloud.lag_lists(LAG).await == Offered::No {
        return Ok(Kept::NotOffered("lists of this stand-in never lag"));
    }
    must("create", scene.create(&mut machine(1)).await)?;
    must("create once more", scene.create(&mut machine(1)).await)?;
    let seen = scene.cloud.census().await;
    expect_that(seen.vms == 1, || format!("with lagging lists there must still be 1 VM, there are {seen}"))?;
    Ok(Kept::Yes)
}

/// A stranger's VM of the machine's name stops the creation where names are unique, and nowhere else; it survives that and the
/// machine's deletion, and the machine stays deletable.
pub async fn a_strangers_vm_of_that_name_stops_create_and_survives(bench: &dyn Bench) -> Verdict {
    let mut asked = false;
    for owner in Owner::STRANGERS {
        let scene = Scene::set(bench).await;
        let mut machine = machine(1);
        if scene.place(&machine.name, Some("99999999-0000-4000-8000-000000000000"), owner).await.is_none() {
            continue;
        }
        asked = true;
        let before = scene.cloud.census().await;
        let outcome = scene.create(&mut machine).await;
        let what = format!("create beside a VM of that name ({owner:?})");
        if scene.cloud.names_are_unique() == Offered::Yes {
            must_fail(&what, MachineCode::AlreadyExists, outcome)?;
        } else {
            must(&what, outcome)?;
            let seen = scene.cloud.census().await.vms;
            expect_that(seen == before.vms + 1, || {
                format!("{what} must make one more VM than the {} there were, there are {seen}", before.vms)
            })?;
        }
        must(&format!("delete beside a VM of that name ({owner:?})"), scene.delete(&mut machine).await)?;
        scene
            .expect_census(before, &format!("after create and delete beside a VM of that name ({owner:?})"))
            .await?;
    }
    Ok(if asked { Kept::Yes } else { Kept::NotOffered("the test can not place such a VM") })
}

/// A VM of the machine's name and scope that tells no UID was made for it by another controller, which had no time to write its
/// id down: it is taken up, and no second one is made beside it. One that was made for another UID never is.
pub async fn a_vm_of_that_name_without_a_uid_is_taken_up(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let mut machine = machine(1);
    let Some(placed) = scene.place(&machine.name, None, Owner::Us).await else {
        return Ok(Kept::NotOffered("the test can not place own VMs"));
    };
    let before = scene.cloud.census().await;
    let created = must("create beside a VM of that name without a UID", scene.create(&mut machine).await)?;
    expect_that(created.provider_id == placed, || {
        format!("create must take up {placed:?}; it returned {:?}", created.provider_id)
    })?;
    scene.expect_census(before, "after a VM of that name was taken up").await?;
    machine.provider_id = Some(created.provider_id);
    must("delete of a VM that was taken up", scene.delete(&mut machine).await)?;
    scene.expect_census(Census::default(), "after the deletion of a VM that was taken up").await?;
    Ok(Kept::Yes)
}

/// Machines whose names start alike have a VM each, and the deletion of one leaves the other's.
pub async fn neighbouring_names_stay_apart(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let (_, longer) = scene.born(2).await?;
    let one = scene.cloud.census().await;
    let (mut short, shorter) = scene.born(1).await?;
    expect_that(longer.provider_id != shorter.provider_id, || {
        format!("two machines must have two VMs; both have {:?}", longer.provider_id)
    })?;
    short.provider_id = None;
    must("delete of the shorter name", scene.delete(&mut short).await)?;
    scene.expect_census(one, "after the deletion of one of two machines whose names start alike").await?;
    let left = scene.listed_vms().await?;
    expect_that(left == [longer.provider_id.clone()], || {
        format!("{:?} must be left, the list has {left:?}", longer.provider_id)
    })?;
    Ok(Kept::Yes)
}

/// A refused creation costs nothing that a deletion of the machine does not take away again.
pub async fn a_refused_creation_is_cleaned_up(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let mut machine = machine(1);
    scene.strike(Call::CreateVm, When::Always, Effect::Refuse(Refusal::Forbidden)).await;
    if scene.create(&mut machine).await.is_ok() {
        return Err(Broken("create must fail while the cloud refuses to create VMs; it succeeded".into()));
    }
    scene.cloud.clear_faults().await;
    must("delete after a refused creation", scene.delete(&mut machine).await)?;
    scene.expect_census(Census::default(), "after a refused creation and a deletion").await?;
    Ok(Kept::Yes)
}
