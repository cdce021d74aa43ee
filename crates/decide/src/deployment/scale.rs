//! Scaling: the deployment's replicas changed, and its sets must follow before a rollout goes on.

use millwright_api::keys::annotations as keys;
use millwright_api::{MachineSet, ObjectView};

use super::claim::Claim;
use super::{DeploymentAction, Fences, SetFacts, SetPatch, annotations};

/// Whether the sets were last scaled for another number of replicas.
pub(super) fn is_due(claim: &Claim<'_>, fences: Fences) -> bool {
    claim
        .all()
        .filter(|facts| facts.set.spec.replicas > 0)
        .filter_map(|facts| annotations::number(facts.set, keys::DESIRED_REPLICAS))
        .any(|desired| desired != i64::from(fences.replicas))
        || (fences.replicas > 0
            && claim.newest.is_some()
            && claim.all().all(|facts| facts.set.spec.replicas == 0))
}

/// Scales the sets: one active set follows alone; of several, growth goes to the newest and shrinking is shared by size.
pub(super) fn plan(claim: &Claim<'_>, fences: Fences) -> Vec<DeploymentAction> {
    let active: Vec<&SetFacts<'_>> = claim.all().filter(|facts| facts.set.spec.replicas > 0).collect();
    let one = match active.as_slice() {
        [] => claim.newest.as_ref(),
        [only] => Some(*only),
        _ => None,
    };
    if let Some(facts) = one {
        return to(facts.set, fences.replicas, fences).into_iter().collect();
    }
    let sum: i32 = active.iter().map(|facts| facts.set.spec.replicas).sum();
    let change = fences.most() - sum;
    if change >= 0 {
        return active
            .iter()
            .filter_map(|facts| {
                let is_newest =
                    claim.newest.as_ref().is_some_and(|newest| newest.set.uid() == facts.set.uid());
                let grow = if is_newest { change } else { 0 };
                to(facts.set, facts.set.spec.replicas + grow, fences)
            })
            .collect();
    }
    shrink(active, -change, fences)
}

fn shrink(mut active: Vec<&SetFacts<'_>>, surplus: i32, fences: Fences) -> Vec<DeploymentAction> {
    active.sort_by(|a, b| {
        b.set
            .spec
            .replicas
            .cmp(&a.set.spec.replicas)
            .then_with(|| a.set.created_at().cmp(&b.set.created_at()))
    });
    let mut left = surplus;
    let mut sizes: Vec<i32> = Vec::with_capacity(active.len());
    for facts in &active {
        let size = facts.set.spec.replicas;
        let before = annotations::number(facts.set, keys::MAX_REPLICAS).filter(|max| *max > 0);
        let share = before.map_or(size, |before| {
            let scaled = (i64::from(size) * i64::from(fences.most()) * 2 + before) / (before * 2);
            i32::try_from(scaled).unwrap_or(size)
        });
        let cut = (size - share).clamp(0, left.min(size));
        left -= cut;
        sizes.push(size - cut);
    }
    for size in &mut sizes {
        let cut = left.min(*size);
        *size -= cut;
        left -= cut;
    }
    active.iter().zip(sizes).filter_map(|(facts, size)| to(facts.set, size, fences)).collect()
}

/// Gives a set a size, and records the scale it was made for.
pub(super) fn to(set: &MachineSet, replicas: i32, fences: Fences) -> Option<DeploymentAction> {
    let mut patch = SetPatch::of(set.name());
    if set.spec.replicas != replicas {
        patch.replicas = Some((set.spec.replicas, replicas));
    }
    patch.annotations = annotations::missing(set, annotations::scale_record(fences));
    (!patch.is_empty()).then_some(DeploymentAction::PatchSet(patch))
}
