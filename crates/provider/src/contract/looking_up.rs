//! Points about `status`: it reads, and says exactly what is there.

use millwright_api::MachineCode;

use super::scene::{Scene, machine, must, must_fail};
use super::{Bench, Kept, Owner, Verdict, expect_that};
use crate::MachineView;

/// `status` never changes anything, whether there is a VM or not.
pub async fn status_only_reads(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let (known, _) = scene.born(1).await?;
    let forgotten = MachineView { provider_id: None, node_name: None, ..known.clone() };
    let before = scene.cloud.calls().await;
    must("status by id", scene.status(&known).await)?;
    must("status by name", scene.status(&forgotten).await)?;
    must_fail("status of a machine without a VM", MachineCode::NotFound, scene.status(&machine(2)).await)?;
    let after = scene.cloud.calls().await;
    expect_that(after.reading > before.reading, || {
        "status must ask its cloud; the cloud counted no call".into()
    })?;
    expect_that(after.changing == before.changing, || {
        format!(
            "status must only read; it made {} calls that can change something",
            after.changing - before.changing
        )
    })?;
    Ok(Kept::Yes)
}

/// A VM that is gone is not found, by id or by name.
pub async fn a_deleted_vm_is_not_found(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let (machine, _) = scene.born(1).await?;
    must("delete", scene.delete(&mut machine.clone()).await)?;
    must_fail("status by the id of a deleted VM", MachineCode::NotFound, scene.status(&machine).await)?;
    let forgotten = MachineView { provider_id: None, node_name: None, ..machine };
    must_fail("status by the name of a deleted VM", MachineCode::NotFound, scene.status(&forgotten).await)?;
    Ok(Kept::Yes)
}

/// A stranger's VM of the machine's name is not the machine's.
pub async fn a_strangers_vm_of_that_name_is_not_found(bench: &dyn Bench) -> Verdict {
    let mut asked = false;
    for owner in Owner::STRANGERS {
        let scene = Scene::set(bench).await;
        asked |= scene.place(&machine(1).name, None, owner).await.is_some();
        let seen = scene.status(&machine(1)).await;
        must_fail(&format!("status beside a VM of that name ({owner:?})"), MachineCode::NotFound, seen)?;
    }
    Ok(if asked { Kept::Yes } else { Kept::NotOffered("the test can not place a stranger's VM") })
}

/// Two VMs that answer to one machine are out of range, and the message names both.
pub async fn several_vms_of_a_machine_are_out_of_range(bench: &dyn Bench) -> Verdict {
    let scene = Scene::set(bench).await;
    let machine = machine(1);
    let uid = machine.uid.as_deref();
    let (Some(one), Some(other)) =
        (scene.place(&machine.name, uid, Owner::Us).await, scene.place(&machine.name, uid, Owner::Us).await)
    else {
        return Ok(Kept::NotOffered("the cloud can not hold two VMs of one machine"));
    };
    let error = must_fail("status of two VMs", MachineCode::OutOfRange, scene.status(&machine).await)?;
    expect_that(error.message.contains(&one) && error.message.contains(&other), || {
        format!("the message must name {one:?} and {other:?}; it is {:?}", error.message)
    })?;
    Ok(Kept::Yes)
}
