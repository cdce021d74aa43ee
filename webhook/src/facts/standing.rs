//! Whether an object stays. One goes with what controls it: that is on its way out first, and takes its time to pass it on.

use millwright_admission::Standing;
use millwright_api::{Machine, MachineSet, ObjectView, controller_of};
use millwright_cluster::index::Index;

/// By itself.
pub(super) fn of(object: &impl ObjectView) -> Standing {
    if object.is_deleting() { Standing::Deleting } else { Standing::There }
}

/// A set goes with its deployment.
pub(super) fn of_set(set: &MachineSet, index: &Index) -> Standing {
    let owner = controller_of(&set.metadata);
    let deployment = owner
        .and_then(|owner| index.deployment(&owner.name).filter(|deployment| deployment.uid() == owner.uid));
    either(of(set), deployment.map(|deployment| of(&**deployment)))
}

/// A machine goes with its set.
pub(super) fn of_machine(machine: &Machine, index: &Index) -> Standing {
    let owner = controller_of(&machine.metadata);
    let set = owner.and_then(|owner| index.set(&owner.name).filter(|set| set.uid() == owner.uid));
    either(of(machine), set.map(|set| of_set(set, index)))
}

fn either(own: Standing, of_controller: Option<Standing>) -> Standing {
    of_controller.filter(|standing| *standing == Standing::Deleting).unwrap_or(own)
}
