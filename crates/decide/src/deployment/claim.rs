//! Sorts sets into the deployment's own (newest and old) and those it should take.

use millwright_api::{MachineDeployment, ObjectView, controller_of, matches_selector};

use super::SetFacts;
use super::template::rolls_nothing;

/// The sets of a deployment, sorted.
#[derive(Debug, Default)]
pub(super) struct Claim<'a> {
    /// The set whose template is the deployment's.
    pub(super) newest: Option<SetFacts<'a>>,
    /// The others, oldest first.
    pub(super) old: Vec<SetFacts<'a>>,
    /// Sets without owner that match the selector.
    pub(super) adoptable: Vec<&'a str>,
}

impl<'a> Claim<'a> {
    /// All own sets.
    pub(super) fn all(&self) -> impl Iterator<Item = &SetFacts<'a>> {
        self.newest.iter().chain(&self.old)
    }
}

pub(super) fn claim<'a>(deployment: &MachineDeployment, sets: &[SetFacts<'a>]) -> Claim<'a> {
    let mut claim = Claim::default();
    let selector = deployment.spec.selector.as_ref();
    let mut own: Vec<SetFacts<'a>> = Vec::new();
    for facts in sets {
        let labels = facts.set.metadata.labels.as_ref();
        let matches = selector.is_some_and(|selector| matches_selector(selector, labels).unwrap_or(false));
        match controller_of(&facts.set.metadata) {
            Some(owner) if owner.uid == deployment.uid() => own.push(facts.clone()),
            None if matches && !facts.set.is_deleting() && !deployment.is_deleting() => {
                claim.adoptable.push(facts.set.name());
            }
            Some(_) | None => {}
        }
    }
    own.sort_by(|a, b| {
        a.set.created_at().cmp(&b.set.created_at()).then_with(|| a.set.name().cmp(b.set.name()))
    });
    // Of several equal ones the oldest is the newest set, so that all observers agree.
    let newest = own.iter().position(|facts| {
        !facts.set.is_deleting() && rolls_nothing(&facts.set.spec.template, &deployment.spec.template)
    });
    if let Some(position) = newest {
        claim.newest = Some(own.remove(position));
    }
    claim.old = own;
    claim
}
