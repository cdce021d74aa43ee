//! A VM loses its power: its node goes silent, the machine is given up after the health time-out, and a new one takes its place.

use super::GROWN;
use crate::{
    cloud::VmHealth,
    demo::{error::DemoError, eyes, pool::Machine, stage::Stage},
};

pub(super) async fn play(stage: &Stage) -> Result<(), DemoError> {
    let sight = eyes::look(stage).await?;
    let victim = sight.pool.machines.first().cloned().ok_or_else(|| DemoError::Wrong {
        what: "there should be a machine whose VM can die".to_owned(),
        details: sight.pool.to_string(),
    })?;
    let Machine { name, .. } = &victim;
    let vm = victim.vm();
    stage.screen.text(&format!("pulling the plug of {vm}, the VM of machine {name}"));
    stage.cloud.set_health(vm, VmHealth::Dead).await?;
    eyes::until(stage, "its node does not answer, and the machine is no longer Running", |sight| {
        !sight.pool.machines.iter().any(|machine| machine.name == *name && machine.is_available())
    })
    .await?;
    eyes::until(stage, "machine, node and VM are gone, and five are Running again", |sight| {
        sight.is_settled(GROWN)
            && !sight.vms.iter().any(|existing| existing.id == vm)
            && !sight.pool.machines.iter().any(|machine| machine.name == *name)
            && !sight.pool.nodes.iter().any(|node| node.name == *name)
    })
    .await?;
    stage.show(&["get", "machines"]).await
}
