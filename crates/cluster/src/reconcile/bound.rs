//! Asks for places of the fleet's bound for one deployment, keeps what it takes until that shows in the index, and wakes
//! those that wait when places get free.

#[cfg(test)]
mod tests;

use millwright_api::MachineDeployment;
use millwright_decide::Places;
use millwright_decide::fleet_bound::PlaceUse;

use crate::Fleet;
use crate::fleet::Memories;
use crate::index::Index;

/// The places that the deployment's rollout may take now. What was promised to it before is asked for anew.
pub(super) fn ask(
    fleet: &Fleet,
    index: &Index,
    memories: &mut Memories,
    deployment: &MachineDeployment,
) -> Places {
    memories.bound.ask(index, deployment, &fleet.parts.rollouts, fleet.now())
}

/// Notes what its plan makes of them.
pub(super) fn note(fleet: &Fleet, memories: &mut Memories, deployment: &MachineDeployment, made: PlaceUse) {
    memories.bound.note(deployment, made, fleet.parts.rollouts.bounds.in_replacement.as_ref());
    wake(fleet, memories);
}

/// Its plan was carried out, and shows.
pub(super) fn settle(fleet: &Fleet, deployment: &MachineDeployment) {
    let mut memories = fleet.memories.lock();
    memories.bound.settle(deployment);
    wake(fleet, &mut memories);
}

/// A deployment is gone, and its places with it.
pub(super) fn forget(fleet: &Fleet, index: &Index, memories: &mut Memories) {
    memories.bound.count(index, &fleet.parts.rollouts, fleet.now());
    wake(fleet, memories);
}

fn wake(fleet: &Fleet, memories: &mut Memories) {
    for name in memories.bound.take_woken() {
        fleet.parts.queues.deployments.add(name);
    }
}
