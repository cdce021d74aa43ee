//! The strategy Recreate: first everything old goes, then everything new comes.

use super::claim::Claim;
use super::{DeploymentAction, Fences, SetFacts, scale};

/// Old machines are still there.
pub(super) fn has_old_machines(claim: &Claim<'_>) -> bool {
    claim.old.iter().any(|facts| facts.room() > 0)
}

/// Nothing old is wanted any more, and some of it is still there.
pub(super) fn old_are_leaving(claim: &Claim<'_>) -> bool {
    has_old_machines(claim) && claim.old.iter().all(|facts| facts.set.spec.replicas == 0)
}

/// One step of the rollout; the newest set is only made when nothing old is left.
pub(super) fn plan(claim: &Claim<'_>, fences: Fences) -> Vec<DeploymentAction> {
    let shrink: Vec<_> = claim
        .old
        .iter()
        .filter(|facts: &&SetFacts<'_>| facts.set.spec.replicas > 0)
        .filter_map(|facts| scale::to(facts.set, 0, fences))
        .collect();
    if !shrink.is_empty() || has_old_machines(claim) {
        return shrink;
    }
    claim.newest.iter().filter_map(|newest| scale::to(newest.set, fences.replicas, fences)).collect()
}
