//! The strategy RollingUpdate: grow the newest set into the surge, shrink old sets as far as availability allows.

use super::claim::Claim;
use super::{DeploymentAction, Fences, SetFacts, scale};

/// The size of the newest set now: room that is free under the fence goes to it. A machine that is
/// being deleted still takes its room, so the surge is never exceeded by VMs that linger.
pub(super) fn newest_size(claim: &Claim<'_>, fences: Fences) -> i32 {
    let current = claim.newest.as_ref().map_or(0, |facts| facts.set.spec.replicas);
    let taken: i32 = claim.all().map(SetFacts::room).sum();
    let free = (fences.most() - taken).max(0);
    if current >= fences.replicas { fences.replicas } else { current + free.min(fences.replicas - current) }
}

/// One step of the rollout.
pub(super) fn plan(claim: &Claim<'_>, fences: Fences) -> Vec<DeploymentAction> {
    let Some(newest) = &claim.newest else { return Vec::new() };
    let size = newest_size(claim, fences);
    if size != newest.set.spec.replicas {
        return scale::to(newest.set, size, fences).into_iter().collect();
    }
    shrink_old(claim, newest, fences)
}

fn shrink_old(claim: &Claim<'_>, newest: &SetFacts<'_>, fences: Fences) -> Vec<DeploymentAction> {
    let total: i32 = claim.all().map(|facts| facts.set.spec.replicas).sum();
    let unavailable_new = (newest.set.spec.replicas - newest.available).max(0);
    let mut budget = total - fences.fewest() - unavailable_new;
    // A set that fails and is replaced for ever keeps VMs lingering, and those keep the newest set from
    // growing. As many of its unavailable machines may go as linger: nothing available is lost by it.
    let lingering: i32 = claim.all().map(|facts| facts.room() - facts.set.spec.replicas).sum();
    let mut available: i32 = claim.all().map(SetFacts::lasting).sum();
    let mut actions = Vec::new();
    for facts in claim.old.iter().filter(|facts| facts.set.spec.replicas > 0) {
        if budget + lingering <= 0 {
            break;
        }
        // Machines that are not available anyway go first and cost nothing.
        let size = facts.set.spec.replicas;
        let sick = (size - facts.lasting()).min(budget + lingering);
        let spare = (available - fences.fewest()).max(0);
        let healthy = (size - sick).min(spare).min((budget - sick).max(0));
        budget -= sick + healthy;
        available -= healthy;
        actions.extend(scale::to(facts.set, size - sick - healthy, fences));
    }
    actions
}
