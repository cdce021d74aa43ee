//! Scaling: the deployment's replicas changed, and its sets must follow before a rollout goes on.
//!
//! Growth that comes together with a new template, or in the middle of a rollout, goes to the newest set alone, at once and
//! up to the fence. Machine-controller-manager grows a lone old set first; those machines would only be made to be deleted,
//! and the new ones are there as soon. A rollout that does not go on, because it is paused or held, replaces nothing: then
//! the lone old set grows, because what was asked for must not wait for it.

use millwright_api::keys::annotations as keys;
use millwright_api::{MachineSet, ObjectView};

use super::claim::Claim;
use super::{DeploymentAction, Fences, SetFacts, SetPatch, annotations};

/// Whether the sets were last scaled for another number of replicas.
pub(super) fn is_due(claim: &Claim<'_>, fences: Fences, from_zero: FromZero) -> bool {
    let has_other_scale = |facts: &SetFacts<'_>| {
        annotations::number(facts.set, keys::DESIRED_REPLICAS)
            .is_some_and(|desired| desired != i64::from(fences.replicas))
    };
    if claim.all().any(|facts| facts.set.spec.replicas > 0) {
        return claim.all().any(|facts| facts.set.spec.replicas > 0 && has_other_scale(facts));
    }
    // From zero; unless it was a rollout that emptied the sets.
    let is_left_to_rollout =
        |newest: &SetFacts<'_>| from_zero == FromZero::AsVmsGo && !has_other_scale(newest);
    fences.replicas > 0 && claim.newest.as_ref().is_some_and(|newest| !is_left_to_rollout(newest))
}

/// Who fills the newest set after a rollout emptied all sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FromZero {
    /// The rollout as its VMs go, or whoever gives a rollout that was stopped in that moment what it is short of.
    AsVmsGo,
    /// Nobody else.
    AtOnce,
}

/// Whether growth waits for VMs of a rollout that linger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Growth {
    /// They take their room; the rollout grows the newest set further as they go.
    AsVmsGo,
    /// No rollout goes on that could do that later.
    AtOnce,
}

/// Scales the sets: one active set follows alone; of several, growth goes to the newest and shrinking is shared by size.
pub(super) fn plan(claim: &Claim<'_>, fences: Fences, growth: Growth) -> Vec<DeploymentAction> {
    let taken = |facts: &SetFacts<'_>| match growth {
        Growth::AsVmsGo => facts.room(),
        Growth::AtOnce => facts.set.spec.replicas,
    };
    let active: Vec<&SetFacts<'_>> = claim.all().filter(|facts| facts.set.spec.replicas > 0).collect();
    let one = match active.as_slice() {
        [] => claim.newest.as_ref(),
        [only] => Some(*only),
        _ => None,
    };
    let is_newest = |facts: &SetFacts<'_>| {
        claim.newest.as_ref().is_some_and(|newest| newest.set.uid() == facts.set.uid())
    };
    if let Some(facts) = one {
        let size = facts.set.spec.replicas;
        let limit = if growth == Growth::AsVmsGo && !is_newest(facts) {
            // The rollout replaces it: machines of its template would only be made to be deleted.
            size
        } else {
            // What the set itself is just deleting does not count: that was a scale-down, and is not waited for.
            let others = claim.all().filter(|other| other.set.uid() != facts.set.uid());
            (fences.most() - others.map(taken).sum::<i32>()).max(size)
        };
        return to(facts.set, fences.replicas.min(limit), fences).into_iter().collect();
    }
    if let Some(newest) = claim.newest.as_ref().filter(|newest| is_saturated(newest, fences)) {
        // Whatever else there is, nobody needs it any more.
        let sizes = active
            .iter()
            .map(|facts| (facts.set, if is_newest(facts) { newest.set.spec.replicas } else { 0 }));
        return sizes.filter_map(|(set, size)| to(set, size, fences)).collect();
    }
    let sum: i32 = active.iter().map(|facts| facts.set.spec.replicas).sum();
    if sum > fences.most() {
        return shrink(active, sum - fences.most(), fences);
    }
    let free = (fences.most() - claim.all().map(taken).sum::<i32>()).max(0);
    active
        .iter()
        .filter_map(|facts| {
            let size = facts.set.spec.replicas;
            let grow = if is_newest(facts) { free.min(fences.replicas - size).max(0) } else { 0 };
            to(facts.set, size + grow, fences)
        })
        .collect()
}

/// The set alone is all that is wanted, and was scaled to be that.
fn is_saturated(newest: &SetFacts<'_>, fences: Fences) -> bool {
    newest.lasting() == fences.replicas
        && newest.set.spec.replicas == fences.replicas
        && annotations::number(newest.set, keys::DESIRED_REPLICAS) == Some(i64::from(fences.replicas))
}

/// Shares the cut by size, as far as enough machines stay available: the rest comes from those that are not.
fn shrink(mut active: Vec<&SetFacts<'_>>, surplus: i32, fences: Fences) -> Vec<DeploymentAction> {
    active.sort_by(|a, b| {
        b.set
            .spec
            .replicas
            .cmp(&a.set.spec.replicas)
            .then_with(|| a.set.created_at().cmp(&b.set.created_at()))
    });
    let mut left = surplus;
    let mut spare = (active.iter().map(|facts| facts.lasting()).sum::<i32>() - fences.fewest()).max(0);
    // Size, and how many of it are not available.
    let mut parts: Vec<(i32, i32)> = active
        .iter()
        .map(|facts| (facts.set.spec.replicas, facts.set.spec.replicas - facts.lasting()))
        .collect();
    let mut take = |(size, sick): &mut (i32, i32), wish: i32| {
        let cut = wish.min(left).min(*sick + spare).clamp(0, *size);
        spare -= (cut - *sick).max(0);
        *sick = (*sick - cut).max(0);
        *size -= cut;
        left -= cut;
    };
    let total = active.iter().map(|facts| i64::from(facts.set.spec.replicas)).sum();
    for (facts, part) in active.iter().zip(&mut parts) {
        take(part, part.0 - share(facts.set, total, fences));
    }
    for part in &mut parts {
        take(part, i32::MAX);
    }
    active.iter().zip(parts).filter_map(|(facts, (size, _))| to(facts.set, size, fences)).collect()
}

/// The size that keeps the set's share of all machines: of as many as there might be when it was scaled last or, where that
/// is not known, of as many as are wanted of all sets.
fn share(set: &MachineSet, total: i64, fences: Fences) -> i32 {
    let before = annotations::number(set, keys::MAX_REPLICAS).filter(|max| *max > 0).unwrap_or(total);
    let before = i128::from(before.max(1));
    let scaled = (i128::from(set.spec.replicas) * i128::from(fences.most()) * 2 + before) / (before * 2);
    i32::try_from(scaled).unwrap_or(i32::MAX)
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
