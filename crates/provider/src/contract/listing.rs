//! Points about lists: all of ours, only ours, or an error.

use millwright_api::MachineCode;

use super::scene::{Scene, class_of, machine, must, must_fail};
use super::{Bench, Broken, Call, Census, Effect, Kept, Offered, Owner, Refusal, Verdict, When, expect_that};
use crate::{Deadline, LeftoverKind, ListedKind};

/// A class without cluster or role lists nothing: it is refused, and `scope` says so too.
pub async fn list_without_a_scope_is_refused(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let specs = scene.cloud.specs_without_scope();
    expect_that(!specs.is_empty(), || {
        "the scripted cloud must offer a spec without scope; it offers none".into()
    })?;
    for spec in &specs {
        let class = class_of(spec);
        must_fail(&format!("scope of {spec}"), MachineCode::InvalidArgument, scene.provider.scope(&class))?;
        let deadline = Deadline::after(std::time::Instant::now(), scene.patience);
        let listed = scene.provider.list(class, &scene.credentials, deadline).await;
        must_fail(&format!("list of {spec}"), MachineCode::InvalidArgument, listed)?;
    }
    Ok(Kept::Yes)
}

/// A list of three pages is whole.
pub async fn list_is_complete_over_pages(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let Some(placed) = fill_three_pages(&scene).await else {
        return Ok(Kept::NotOffered("the test can not place own VMs"));
    };
    let listed = scene.listed_vms().await?;
    expect_that(listed == placed, || {
        let missing: Vec<_> = placed.iter().filter(|id| !listed.contains(id)).collect();
        format!(
            "list must return the {} VMs that exist; it returned {}, without {missing:?}",
            placed.len(),
            listed.len()
        )
    })?;
    Ok(Kept::Yes)
}

/// A list of which one page can not be had is an error, never a part.
pub async fn list_is_complete_or_an_error(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    if fill_three_pages(&scene).await.is_none() {
        return Ok(Kept::NotOffered("the test can not place own VMs"));
    }
    // The first list may make calls that later ones need not, such as one for a token.
    must("list", scene.list().await)?;
    let before = scene.cloud.calls().await.total();
    must("list once more", scene.list().await)?;
    let calls = scene.cloud.calls().await.total() - before;
    for nth in 1..=calls {
        scene.strike(Call::Any, When::Nth(nth), Effect::Refuse(Refusal::Down)).await;
        if let Ok(part) = scene.list().await {
            return Err(Broken(format!(
                "list must fail when its call {nth} of {calls} fails; it returned {} entries",
                part.len()
            )));
        }
        scene.cloud.clear_faults().await;
    }
    Ok(Kept::Yes)
}

/// Other clusters and roles are left out, also a cluster whose name starts with ours.
pub async fn list_leaves_out_strangers(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let (_, own) = scene.born(1).await?;
    let mut asked = false;
    for (number, owner) in (2..).zip(Owner::STRANGERS) {
        asked |= scene.place(&machine(number).name, None, owner).await.is_some();
    }
    if !asked {
        return Ok(Kept::NotOffered("the test can not place a stranger's VM"));
    }
    let listed = must("list", scene.list().await)?;
    let ids: Vec<&str> = listed.iter().map(|entry| entry.id.as_str()).collect();
    expect_that(ids == [own.provider_id.as_str()], || {
        format!("list must return {:?} and no stranger's VM; it returned {listed:?}", own.provider_id)
    })?;
    Ok(Kept::Yes)
}

/// What outlived its VM is listed as a leftover with the name of its machine.
pub async fn list_reports_leftovers(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let (machine, created) = scene.born(1).await?;
    if scene.cloud.leave_leftovers(&created.provider_id).await == Offered::No {
        return Ok(Kept::NotOffered("nothing outlives a VM in this stand-in"));
    }
    let listed = must("list", scene.list().await)?;
    let left = scene.cloud.census().await;
    let reported = |kind| listed.iter().filter(|entry| entry.kind == ListedKind::Leftover(kind)).count();
    let vms = listed.iter().filter(|entry| entry.kind == ListedKind::Vm).count();
    let seen = Census { vms, nics: reported(LeftoverKind::Nic), disks: reported(LeftoverKind::Disk) };
    expect_that(seen == left, || format!("list must report the leftovers, {left}; it returned {listed:?}"))?;
    expect_that(listed.iter().all(|entry| entry.machine_name == machine.name), || {
        format!("leftovers must name their machine {:?}; the list has {listed:?}", machine.name)
    })?;
    Ok(Kept::Yes)
}

async fn fill_three_pages(scene: &Scene) -> Option<Vec<String>> {
    let mut placed = Vec::new();
    for number in 0..scene.cloud.three_pages() {
        placed.push(scene.place(&format!("pool-a-page-{number:04}"), None, Owner::Us).await?);
    }
    placed.sort();
    Some(placed)
}
