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

/// Sorts the machines. Without a selector that can be read the set keeps what it owns, takes nothing and lets
/// go of nothing.
pub(super) fn claim<'a>(set: &MachineSet, machines: &[&'a Machine]) -> Claim<'a> {
    let mut claim = Claim::default();
    for &machine in machines {
        let selector = set.spec.selector.as_ref();
        let matches = selector.and_then(|s| matches_selector(s, machine.metadata.labels.as_ref()).ok());
        let owner = controller_of(&machine.metadata).map(|owner| owner.uid == set.uid());
        match (owner, matches) {
            (Some(true), Some(true) | None) => claim.kept.push(machine),
            (Some(true), Some(false)) => claim.strays.push(machine),
            (None, Some(true)) if !machine.is_deleting() && !set.is_deleting() => {
                claim.adoptable.push(machine);
            }
            _ => {}
        }
    }
    claim
}
