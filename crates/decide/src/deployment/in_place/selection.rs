//! Which nodes are drained and updated next, when nobody else says so.

use std::collections::BTreeSet;

use millwright_api::{Machine, MachinePhase, NodeView, ObjectView};

use super::Place;
use super::member::{Update, is_active, is_candidate, is_selected, leads_elsewhere, runs};
use super::sizes::{active, is_shrinking, serving_of_all};
use crate::deployment::claim::Claim;
use crate::deployment::{Fences, SetFacts};
use crate::machine::{UpdateResult, update_result};

/// UIDs of the machines whose nodes are to be updated now: as many as can be missed, and no more than are needed beside
/// those that were made anew.
pub(in crate::deployment) fn chosen<'a>(claim: &Claim<'a>, fences: Fences) -> BTreeSet<&'a str> {
    let Some(newest) = &claim.newest else { return BTreeSet::new() };
    // Who goes is decided by the sets: until it is known, nobody else may be missed.
    if is_shrinking(claim, fences) {
        return BTreeSet::new();
    }
    let members = || {
        let old = claim.old.iter().flat_map(|facts| candidates_of(facts, Place::Old));
        candidates_of(newest, Place::Newest).chain(old)
    };
    let name = newest.set.name();
    let mut free: Vec<Candidate<'a>> = members().filter(|candidate| candidate.is_free(name)).collect();
    // One that is kept to be looked at is disturbed last.
    free.sort_by_key(|candidate| {
        let machine = candidate.machine;
        let is_kept = machine.status.current_status.preserve_expiry_time.is_some();
        (candidate.place == Place::Old, is_kept, machine.created_at(), machine.name())
    });
    let underway = members().filter(|candidate| is_selected(candidate.node)).count();
    let will_come = members()
        .filter(|candidate| candidate.place == Place::Old && is_selected(candidate.node))
        .filter(|candidate| {
            update_result(candidate.node) != Some(UpdateResult::Failed) && !candidate.has_failed()
        })
        .count();
    let there = newest.set.spec.replicas.max(active(newest));
    let mut needed = fences.replicas - there - i32::try_from(will_come).unwrap_or(i32::MAX);
    let mut spare = serving_of_all(claim) - fences.fewest();
    let mut chosen = BTreeSet::new();
    for candidate in free.iter().filter(|candidate| runs(candidate.machine)) {
        if spare <= 0 {
            break;
        }
        if candidate.place == Place::Old {
            if needed <= 0 {
                break;
            }
            needed -= 1;
        }
        spare -= 1;
        chosen.insert(candidate.machine.uid());
    }
    if chosen.is_empty() && underway == 0 && needed > 0 {
        // Where sick machines take all that can be missed, one of them may be what its update mends. One at a time: a
        // network that was away for a minute must not have the whole pool drained.
        let sick = free.iter().find(|candidate| candidate.place == Place::Old && !runs(candidate.machine));
        chosen.extend(sick.map(|candidate| candidate.machine.uid()));
    }
    chosen
}

struct Candidate<'a> {
    machine: &'a Machine,
    node: &'a NodeView,
    place: Place,
}

fn candidates_of<'a>(facts: &SetFacts<'a>, place: Place) -> impl Iterator<Item = Candidate<'a>> {
    let members = facts.members.iter().filter(|member| is_active(member.machine));
    members.filter_map(move |member| {
        let node = member.node.filter(|node| !node.is_deleting() && is_candidate(node))?;
        Some(Candidate { machine: member.machine, node, place })
    })
}

impl Candidate<'_> {
    fn is_free(&self, newest: &str) -> bool {
        let is_updatable =
            runs(self.machine) || self.machine.status.current_status.phase == MachinePhase::Unknown;
        is_updatable
            && !is_selected(self.node)
            && !leads_elsewhere(self.node, newest)
            && Update::of(self.machine, self.node) == Update::NotBegun
    }

    fn has_failed(&self) -> bool {
        matches!(
            self.machine.status.current_status.phase,
            MachinePhase::Failed | MachinePhase::InPlaceUpdateFailed
        )
    }
}
