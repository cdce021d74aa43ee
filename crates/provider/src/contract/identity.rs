//! Points about ids and names: every call must speak of a VM in the same bytes.

use millwright_api::MachineCode;

use super::scene::{Scene, machine, must, must_fail};
use super::{Bench, Broken, Kept, Verdict, expect_that};
use crate::{Instance, ListedKind, MachineView};

/// `create`, `status` (by id, by name and UID) and `list` agree on id and names; what stands for
/// all spellings of the id stands for itself too.
pub async fn every_call_names_the_vm_alike(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let (machine, created) = scene.born(1).await?;
    let id = &created.provider_id;
    expect_that(!id.is_empty() && !created.node_name.is_empty(), || {
        format!("create must return an id and a node name; it returned {id:?} and {:?}", created.node_name)
    })?;

    let forgotten = MachineView { provider_id: None, node_name: None, ..machine.clone() };
    for (how, asked) in [("by id", &machine), ("by name and UID", &forgotten)] {
        let seen = must(&format!("status {how}"), scene.status(asked).await)?;
        same(&format!("status {how}"), &created, &seen)?;
    }

    let canonical = must("canonical_id of an own id", scene.provider.canonical_id(id))?;
    let once_more = must("canonical_id of what it returned", scene.provider.canonical_id(&canonical))?;
    expect_that(canonical == once_more, || {
        format!("canonical_id of {canonical:?} must be itself; it was read as {once_more:?}")
    })?;

    let listed = must("list", scene.list().await)?;
    let [entry] = listed.as_slice() else {
        return Err(Broken(format!("list must return the one VM and nothing else; it returned {listed:?}")));
    };
    expect_that(
        entry.kind == ListedKind::Vm && entry.id == *id && entry.machine_name == machine.name,
        || format!("list must name VM {id:?} of machine {:?}; it named {entry:?}", machine.name),
    )?;
    // Whose an orphan is, its name alone does not tell: another machine may bear it by now.
    expect_that(entry.machine_uid == machine.uid, || {
        format!("list must give the UID {:?}; it gave {:?}", machine.uid, entry.machine_uid)
    })?;
    Ok(Kept::Yes)
}

/// Every spelling of an id that is in use means the same VM.
pub async fn every_spelling_of_an_id_is_understood(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let (machine, created) = scene.born(1).await?;
    let spellings = scene.cloud.other_spellings(&created.provider_id);
    if spellings.is_empty() {
        return Ok(Kept::NotOffered("ids have one spelling only"));
    }
    let wanted = must("canonical_id of an own id", scene.provider.canonical_id(&created.provider_id))?;
    for spelling in spellings {
        let canonical =
            must(&format!("canonical_id of {spelling:?}"), scene.provider.canonical_id(&spelling))?;
        expect_that(canonical == wanted, || {
            format!("{spelling:?} must mean {wanted:?}; it was read as {canonical:?}")
        })?;
        let asked = MachineView { provider_id: Some(spelling.clone()), ..machine.clone() };
        let seen = must(&format!("status by {spelling:?}"), scene.status(&asked).await)?;
        same(&format!("status by {spelling:?}"), &created, &seen)?;
    }
    Ok(Kept::Yes)
}

/// An id of nobody or of another cloud is refused, offline and in `status`; it never means "no such VM".
pub async fn ids_of_other_clouds_are_refused(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    for id in ["", "nobodys-cloud:///zone/vm-1"] {
        let read = scene.provider.canonical_id(id);
        must_fail(&format!("canonical_id of {id:?}"), MachineCode::InvalidArgument, read)?;
    }
    let stranger = MachineView { provider_id: Some("nobodys-cloud:///zone/vm-1".into()), ..machine(1) };
    let seen = scene.status(&stranger).await;
    must_fail("status by another cloud's id", MachineCode::InvalidArgument, seen)?;
    Ok(Kept::Yes)
}

fn same(what: &str, created: &Instance, seen: &Instance) -> Result<(), Broken> {
    let names = |instance: &Instance| (instance.provider_id.clone(), instance.node_name.clone());
    expect_that(names(created) == names(seen), || {
        format!("{what} must name the VM as create did, {:?}; it said {:?}", names(created), names(seen))
    })
}
