//! Sorts sets into the deployment's own (newest and old), those it should take and those it should let go.

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
    /// Sets that are owned and not matched by the selector any more.
    pub(super) strays: Vec<&'a str>,
}

impl<'a> Claim<'a> {
    /// All own sets.
    pub(super) fn all(&self) -> impl Iterator<Item = &SetFacts<'a>> {
        self.newest.iter().chain(&self.old)
    }
}

pub(super) fn claim<'a>(deployment: &MachineDeployment, sets: &[SetFacts<'a>]) -> Claim<'a> {
    let mut claim = Claim::default();
    // A selector that can not be meant is none: nothing is taken or let go on the strength of it.
    let made = deployment.spec.template.metadata.labels.as_ref();
    let selector = deployment.spec.selector.as_ref().filter(|s| matches_selector(s, made) == Ok(true));
    let mut own: Vec<SetFacts<'a>> = Vec::new();
    for facts in sets {
        let labels = facts.set.metadata.labels.as_ref();
        let matches = selector.and_then(|selector| matches_selector(selector, labels).ok());
        let is_staying = !facts.set.is_deleting() && !deployment.is_deleting();
        match (controller_of(&facts.set.metadata), matches) {
            (Some(owner), Some(false)) if owner.uid == deployment.uid() && is_staying => {
                claim.strays.push(facts.set.name());
            }
            (Some(owner), _) if owner.uid == deployment.uid() => own.push(facts.clone()),
            (None, Some(true)) if is_staying => claim.adoptable.push(facts.set.name()),
            _ => {}
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
