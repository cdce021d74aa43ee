//! What a machine's drain needs around a decision: its volumes followed, its slot, and its pods asked side by side.

use std::sync::Arc;

use futures::StreamExt as _;
use millwright_api::{Machine, ObjectView};
use millwright_decide::MachineSettings;
use millwright_decide::drain::SlotUse;
use millwright_decide::machine::{MachineAction, MachinePlan};

use crate::Fleet;
use crate::execute;
use crate::fleet::{LEASE_PAUSE, Memories};
use crate::index::Index;

/// How many pods of a node are asked to go at the same time; a request that hangs must not hold up all others.
const PODS_AT_ONCE: usize = 10;

/// Follows the volumes of a drain before its next step is decided.
pub(super) fn look(
    fleet: &Fleet,
    index: &mut Index,
    memories: &mut Memories,
    machine: &Machine,
    settings: &MachineSettings,
) {
    let Some(memory) = memories.machines.get_mut(machine.uid()) else { return };
    let drain = &mut memory.drain;
    if drain.began_at.is_none() {
        return;
    }
    if let Some(node) = index.node_of(machine) {
        let attachments = index.attachments_of(machine, drain);
        drain.saw(node, &attachments, settings, fleet.trust().since, fleet.now());
    }
    index.await_volumes(machine.name(), drain);
}

/// Notes what a plan has to do with the drain, and wakes whose turn it is.
pub(super) fn settle(fleet: &Fleet, memories: &mut Memories, machine: &Machine, plan: &MachinePlan) {
    if plan.actions.contains(&MachineAction::DeleteVm)
        && let Some(memory) = memories.machines.get_mut(machine.uid())
    {
        memory.drain.given_up(fleet.now());
    }
    release(fleet, memories, machine.name(), plan.slot);
}

/// A machine that nobody looks after any more waits for nothing, and holds up nobody.
pub(super) fn forget(fleet: &Fleet, index: &mut Index, memories: &mut Memories, name: &str) {
    index.await_volumes(name, &Default::default());
    release(fleet, memories, name, SlotUse::None);
}

fn release(fleet: &Fleet, memories: &mut Memories, name: &str, use_: SlotUse) {
    for next in memories.drain_slots.settle(name, use_, fleet.parts.max_concurrent_drains) {
        fleet.parts.queues.machines.add(next);
    }
}

/// Asks all pods of a plan to go; what came of it is noted for each.
pub(super) async fn ask_pods(fleet: &Arc<Fleet>, machine: &Arc<Machine>, actions: &[MachineAction]) {
    let about_pods = actions.iter().filter(|action| action.pod().is_some()).cloned();
    let asking: Vec<_> = about_pods.map(|action| ask_pod(fleet.clone(), machine.clone(), action)).collect();
    futures::stream::iter(asking).buffer_unordered(PODS_AT_ONCE).collect::<()>().await;
}

async fn ask_pod(fleet: Arc<Fleet>, machine: Arc<Machine>, action: MachineAction) {
    if !fleet.may_write() {
        fleet.parts.queues.machines.add_after(machine.name().to_owned(), LEASE_PAUSE);
        return;
    }
    if fleet.trust().freeze.is_frozen() {
        return;
    }
    fleet.parts.metrics.action(action.name());
    tracing::debug!(action = action.name());
    if let Err(error) = execute::machine(&fleet, &machine, &action).await {
        tracing::warn!(action = action.name(), %error, "a pod could not be asked to go");
    }
}
