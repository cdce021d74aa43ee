//! Asks the meltdown guard for one machine, and keeps a permission until its write shows in the index.

#[cfg(test)]
mod tests;

use millwright_api::{Machine, ObjectView};
use millwright_decide::machine::{GroupTally, MeltdownGuard, MeltdownUse};

use crate::Fleet;
use crate::execute::ExecuteError;
use crate::fleet::Memories;
use crate::index::Index;

/// Whether a machine may be given up now. What was promised to it before is asked for anew.
pub(super) fn ask(fleet: &Fleet, index: &Index, memories: &mut Memories, machine: &Machine) -> MeltdownGuard {
    let desk = &mut memories.meltdown;
    desk.settle(machine.uid());
    let rule = &fleet.parts.settings.meltdown;
    let Some(group) = index.meltdown_group(machine, rule.scope) else { return MeltdownGuard::Allows };
    let shows = |name: &str, uid: &str| {
        index.machine(name).is_none_or(|known| known.uid() != uid || !GroupTally::of(known).is_quiet())
    };
    let promised = desk.promised_beside(machine.uid(), &group, shows);
    rule.guard(index.tally_beside(machine, &group), promised)
}

/// Notes what the decision made of it.
pub(super) fn note(
    fleet: &Fleet,
    index: &Index,
    memories: &mut Memories,
    machine: &Machine,
    made: MeltdownUse,
) {
    let desk = &mut memories.meltdown;
    match made {
        MeltdownUse::HeldBack => desk.hold_back(machine.uid(), fleet.parts.metrics.held_back()),
        MeltdownUse::NotAsked | MeltdownUse::Passed => desk.let_go(machine.uid()),
    }
    if made == MeltdownUse::Passed
        && let Some(group) = index.meltdown_group(machine, fleet.parts.settings.meltdown.scope)
    {
        desk.promise(machine.uid(), machine.name(), group);
    }
}

/// The plan was carried out as far as it goes. A write without an answer may still have its effect: the promise stays
/// until the machine is looked at again.
pub(super) fn settle(fleet: &Fleet, machine: &Machine, failure: Option<&ExecuteError>) {
    if failure.is_none_or(ExecuteError::is_refusal) {
        fleet.memories.lock().meltdown.settle(machine.uid());
    }
}
