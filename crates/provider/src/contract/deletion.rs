//! Points about deletion: everything of ours goes, nothing of others.

use millwright_api::MachineCode;

use super::scene::{Scene, machine, must, must_fail, orphan};
use super::{Bench, Broken, Census, Kept, Offered, Owner, Verdict, expect_that};
use crate::MachineView;

/// Deleting what never existed, or is gone already, succeeds.
pub async fn deleting_nothing_is_success(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    must("delete of a machine that never had a VM", scene.delete(&mut machine(2)).await)?;
    let (gone, _) = scene.born(1).await?;
    for what in ["delete", "delete of a VM that is gone", "delete of a VM that is long gone"] {
        must(what, scene.delete(&mut gone.clone()).await)?;
    }
    let forgotten = MachineView { provider_id: None, node_name: None, ..gone };
    must("delete of a VM that is gone, without its id", scene.delete(&mut forgotten.clone()).await)?;
    scene.expect_census(Census::default(), "after the deletions").await?;
    Ok(Kept::Yes)
}

/// A machine that lost its id still takes its VM with it.
pub async fn delete_without_an_id_finds_the_vm(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let (machine, _) = scene.born(1).await?;
    let mut forgotten = MachineView { provider_id: None, node_name: None, ..machine };
    must("delete without an id", scene.delete(&mut forgotten).await)?;
    scene.expect_census(Census::default(), "after a deletion without an id").await?;
    Ok(Kept::Yes)
}

/// An orphan is known by name and id alone, and that is enough.
pub async fn an_orphan_is_deleted_by_its_id(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let (machine, created) = scene.born(1).await?;
    must("delete of an orphan", scene.delete(&mut orphan(&machine.name, &created.provider_id)).await)?;
    scene.expect_census(Census::default(), "after an orphan's deletion").await?;
    Ok(Kept::Yes)
}

/// A VM whose tags name another cluster or role stays, whatever id a machine claims.
pub async fn delete_refuses_vms_of_strangers(bench: &dyn Bench) -> Verdict {
    let mut asked = false;
    for owner in Owner::STRANGERS {
        let scene = Scene::set(bench).await;
        let name = machine(1).name;
        let Some(id) = scene.place(&name, None, owner).await else { continue };
        asked = true;
        let before = scene.cloud.census().await;
        let mut claiming = MachineView { provider_id: Some(id.clone()), ..machine(1) };
        let claimants = [("a machine", &mut claiming), ("an orphan", &mut orphan(&name, &id))];
        for (who, claimant) in claimants {
            let outcome = scene.delete(claimant).await;
            let what = format!("delete by {who} that names a stranger's VM ({owner:?})");
            must_fail(&what, MachineCode::FailedPrecondition, outcome)?;
            scene.expect_census(before, &format!("after {what}")).await?;
        }
    }
    Ok(if asked { Kept::Yes } else { Kept::NotOffered("the test can not place a stranger's VM") })
}

/// Volumes that must be kept survive their VM, and nothing else does.
pub async fn delete_keeps_volumes(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let (mut machine, created) = scene.born(1).await?;
    let Some(volume) = scene.cloud.attach_volume(&created.provider_id).await else {
        return Ok(Kept::NotOffered("the stand-in attaches no volumes"));
    };
    must("delete with a volume", scene.delete_but_keep(&mut machine, std::slice::from_ref(&volume)).await)?;
    let volumes = scene.cloud.volumes().await;
    expect_that(volumes == [volume.clone()], || {
        format!("volume {volume:?} must survive its VM; the volumes left are {volumes:?}")
    })?;
    scene.expect_census(Census::default(), "after a deletion that keeps a volume").await?;
    Ok(Kept::Yes)
}

/// Parts that outlived their VM go with the machine, with its id or without.
pub async fn delete_collects_leftovers(bench: &dyn Bench) -> Verdict {
    for known_id in [true, false] {
        let scene = Scene::set(bench).await;
        let (machine, created) = scene.born(1).await?;
        if scene.cloud.leave_leftovers(&created.provider_id).await == Offered::No {
            return Ok(Kept::NotOffered("nothing outlives a VM in this stand-in"));
        }
        if scene.cloud.census().await == Census::default() {
            return Err(Broken("the scripted cloud must leave something over; it left nothing".into()));
        }
        let provider_id = machine.provider_id.clone().filter(|_| known_id);
        let mut machine = MachineView { provider_id, ..machine };
        let how = if known_id { "with its id" } else { "without its id" };
        must(&format!("delete {how} of what a VM left over"), scene.delete(&mut machine).await)?;
        scene.expect_census(Census::default(), &format!("after the deletion {how} of leftovers")).await?;
    }
    Ok(Kept::Yes)
}
