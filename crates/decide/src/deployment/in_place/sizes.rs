//! How many machines each set has during an update in place.
//!
//! Old sets have what is there of them, since they make none; the newest takes those that were moved to it and makes what is
//! missing, with Auto into the surge. What is too much goes from old sets first: nobody has to update it.

use millwright_api::Machine;
use millwright_api::ObjectView;
use millwright_api::keys::annotations::{CLUSTER_API_DELETE_MACHINE, MACHINE_PRIORITY, UPDATE_TARGET};
use millwright_api::keys::labels;

use super::Place;
use super::member::{Update, is_active, is_moved, is_selected, runs};
use crate::deployment::claim::Claim;
use crate::deployment::standing::Standing;
use crate::deployment::{Fences, SetFacts};

/// A set and the size that it shall have.
pub(super) struct Size<'a> {
    pub(super) facts: &'a SetFacts<'a>,
    pub(super) place: Place,
    pub(super) to: i32,
}

/// The size with which the newest set is made.
pub(in crate::deployment) fn newest_size(claim: &Claim<'_>, fences: Fences) -> i32 {
    let old: i32 = claim.old.iter().map(SetFacts::room).sum();
    if old == 0 { fences.replicas } else { (fences.most() - old).clamp(0, fences.replicas) }
}

/// The sizes of all sets, old ones first.
pub(super) fn sizes<'a>(claim: &'a Claim<'a>, fences: Fences, standing: Standing) -> Vec<Size<'a>> {
    let mut sizes: Vec<Size<'a>> = claim
        .old
        .iter()
        .map(|facts| Size { facts, place: Place::Old, to: as_found(facts, claim) })
        .chain(claim.newest.iter().map(|facts| Size {
            facts,
            place: Place::Newest,
            to: as_found(facts, claim),
        }))
        .collect();
    grow(&mut sizes, fences, standing);
    let mut spare = serving_of_all(claim) - fences.fewest();
    let total: i32 = sizes.iter().map(|size| size.to).sum();
    let mut surplus = (total - fences.most()).max(0);
    for size in &mut sizes {
        // An autoscaler chose its machine among all of them.
        let chosen = count(size.facts, is_chosen_to_go).min(surplus);
        surplus -= cut(size, chosen, &mut spare);
    }
    for size in &mut sizes {
        surplus -= cut(size, surplus, &mut spare);
    }
    let Some(newest) = sizes.iter_mut().find(|size| size.place == Place::Newest) else { return sizes };
    let too_many = newest.to - fences.replicas - beside(newest.facts, fences);
    cut(newest, too_many, &mut spare);
    let is_full = newest.to >= fences.replicas;
    if is_full && standing == Standing::Going {
        // What is left needs no update: it was there for the time of the rollout only.
        for size in sizes.iter_mut().filter(|size| size.place == Place::Old) {
            cut(size, size.to, &mut spare);
        }
    }
    sizes
}

/// Whether a set is about to lose machines.
pub(super) fn is_shrinking(claim: &Claim<'_>, fences: Fences) -> bool {
    sizes(claim, fences, Standing::Going)
        .iter()
        .any(|size| size.to < size.facts.set.spec.replicas.min(active(size.facts)))
}

/// A set that makes no machines has no more than there are. Nor has one that begins to make some again because it became the
/// newest: what left it is in another set, and is not to be made a second time.
fn as_found(facts: &SetFacts<'_>, claim: &Claim<'_>) -> i32 {
    let size = caught_up(facts);
    let made_none = facts.set.label(labels::SCALE_UP_DISABLED).is_some();
    if claim.newest.is_some() && made_none { size.min(active(facts)) } else { size }
}

/// Machines that were moved to the set count as wanted.
fn caught_up(facts: &SetFacts<'_>) -> i32 {
    let size = facts.set.spec.replicas;
    let above = (active(facts) - size).max(0);
    size + above.min(count(facts, is_moved))
}

/// The newest set grows, or the youngest of the others as long as there is none.
fn grow(sizes: &mut [Size<'_>], fences: Fences, standing: Standing) {
    let Some((last, others)) = sizes.split_last_mut() else { return };
    if last.place == Place::Old && standing == Standing::Going {
        return;
    }
    // What the set itself is just deleting is not waited for.
    let taken: i32 = others.iter().map(|other| other.to.max(other.facts.machines)).sum();
    let most = match standing {
        _ if taken == 0 => i32::MAX,
        Standing::Going => fences.most(),
        Standing::Stopped => fences.replicas,
    };
    last.to = last.to.max((most - taken).min(fences.replicas + beside(last.facts, fences)));
}

/// Machines of the newest set above the replicas: where nobody may be missed, those that must be updated once more, because
/// they were updated to something that is not wanted any more, need somebody to stand in for them.
fn beside(newest: &SetFacts<'_>, fences: Fences) -> i32 {
    if fences.fewest() < fences.replicas {
        return 0;
    }
    let again = newest.members.iter().filter(|member| {
        is_active(member.machine)
            && member.node.is_some_and(|node| {
                node.annotation(UPDATE_TARGET) == Some(newest.set.name())
                    && Update::of(member.machine, node) != Update::Done
            })
    });
    number(again.count()).min(fences.most() - fences.replicas)
}

/// Takes so many from a set as can go without the fewest that must serve. Of a set that stays it is not sure which machine
/// goes: one that is about to be updated might stay while one that serves goes.
fn cut(size: &mut Size<'_>, wish: i32, spare: &mut i32) -> i32 {
    let before = size.to;
    let serving = serving(size.facts).min(before);
    let going = if wish >= before && serving <= (*spare).max(0) {
        *spare -= serving;
        before
    } else {
        let sick = before - size.facts.available.clamp(0, before);
        let going = wish.min(sick + (*spare).max(0)).clamp(0, before);
        *spare -= (going - sick).max(0);
        going
    };
    size.to -= going;
    going
}

/// Machines that do their work and will go on doing it: neither selected to be drained nor about to be deleted.
pub(super) fn serving_of_all(claim: &Claim<'_>) -> i32 {
    claim.all().map(serving).sum()
}

fn serving(facts: &SetFacts<'_>) -> i32 {
    let selected =
        facts.members.iter().filter(|member| runs(member.machine) && member.node.is_some_and(is_selected));
    let leaving = (active(facts) - count(facts, is_moved) - facts.set.spec.replicas).max(0);
    (facts.available - number(selected.count()) - leaving).max(0)
}

/// Machines that nobody asked to go.
pub(super) fn active(facts: &SetFacts<'_>) -> i32 {
    count(facts, |_| true)
}

fn count(facts: &SetFacts<'_>, test: impl Fn(&Machine) -> bool) -> i32 {
    let machines = facts.members.iter().map(|member| member.machine);
    number(machines.filter(|machine| is_active(machine) && test(machine)).count())
}

fn is_chosen_to_go(machine: &Machine) -> bool {
    machine.annotation(MACHINE_PRIORITY) == Some("1")
        || machine.annotation(CLUSTER_API_DELETE_MACHINE).is_some()
}

fn number(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
