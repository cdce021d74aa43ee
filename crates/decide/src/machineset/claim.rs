//! Sorts machines into those the set has, should take and should let go.

use millwright_api::{Machine, MachineSet, ObjectView, controller_of, matches_selector};

/// The machines of a set, sorted.
#[derive(Debug, Default)]
pub(super) struct Claim<'a> {
    /// Owned and matching.
    pub(super) kept: Vec<&'a Machine>,
    /// Matching and without owner.
    pub(super) adoptable: Vec<&'a Machine>,
    /// Owned and not matching any more.
    pub(super) strays: Vec<&'a Machine>,
}

/// Sorts the machines. A selector that can't be read claims nothing and lets go of nothing.
pub(super) fn claim<'a>(set: &MachineSet, machines: &[&'a Machine]) -> Claim<'a> {
    let mut claim = Claim::default();
    let Some(selector) = &set.spec.selector else { return claim };
    for &machine in machines {
        let Ok(matches) = matches_selector(selector, machine.metadata.labels.as_ref()) else {
            return Claim::default();
        };
        match controller_of(&machine.metadata) {
            Some(owner) if owner.uid == set.uid() && matches => claim.kept.push(machine),
            Some(owner) if owner.uid == set.uid() => claim.strays.push(machine),
            None if matches && !machine.is_deleting() && !set.is_deleting() => claim.adoptable.push(machine),
            Some(_) | None => {}
        }
    }
    claim
}
