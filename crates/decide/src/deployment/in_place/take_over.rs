//! Gives updated machines to the newest set, and forgets that afterwards.

use std::collections::BTreeMap;

use millwright_api::keys::labels;
use millwright_api::{Machine, MachinePhase, MachineSet, ObjectView};

use super::member::{Update, is_active, leads_elsewhere};
use crate::deployment::claim::Claim;
use crate::deployment::{DeploymentAction, MachineMarks, MachineMove, SetFacts};

/// Machines that go to the newest set now. Only from sets that would not replace them.
pub(super) fn moves(claim: &Claim<'_>, newest: &MachineSet) -> Vec<DeploymentAction> {
    let leaving = claim.old.iter().filter(|facts| facts.set.label(labels::SCALE_UP_DISABLED).is_some());
    leaving
        .flat_map(|facts| facts.members.iter().map(move |member| (facts.set, member)))
        .filter(|(_, member)| {
            is_active(member.machine)
                && member.machine.status.current_status.phase != MachinePhase::Failed
                && member.node.is_some_and(|node| {
                    Update::of(member.machine, node) == Update::Done && !leads_elsewhere(node, newest.name())
                })
        })
        .map(|(from, member)| {
            DeploymentAction::MoveMachine(MachineMove {
                name: member.machine.name().to_owned(),
                uid: member.machine.uid().to_owned(),
                from: from.uid().to_owned(),
                to: newest.name().to_owned(),
                labels: relabelled(member.machine, from, newest),
            })
        })
        .collect()
}

/// The labels by which both selectors tell the machine's set, and those of the templates, in one go.
fn relabelled(machine: &Machine, from: &MachineSet, to: &MachineSet) -> BTreeMap<String, Option<String>> {
    let mut changes: BTreeMap<String, Option<String>> =
        given(from).into_keys().filter(|key| machine.label(key).is_some()).map(|key| (key, None)).collect();
    changes.extend(given(to).into_iter().map(|(key, value)| (key, Some(value))));
    changes.insert(labels::UPDATE_RESULT.to_owned(), Some("successful".to_owned()));
    changes
}

/// Labels that machines have from their set; what the selector wants counts more.
fn given(set: &MachineSet) -> BTreeMap<String, String> {
    let mut labels = set.spec.template.metadata.labels.clone().unwrap_or_default();
    labels.extend(set.spec.selector.iter().flat_map(|selector| selector.match_labels.clone()).flatten());
    labels
}

/// The size of the set has caught up: its machines are like any others.
pub(super) fn done(facts: &SetFacts<'_>) -> impl Iterator<Item = DeploymentAction> {
    let moved = facts.members.iter().filter(|member| member.machine.label(labels::UPDATE_RESULT).is_some());
    moved.map(|member| {
        DeploymentAction::PatchMachine(MachineMarks {
            name: member.machine.name().to_owned(),
            uid: member.machine.uid().to_owned(),
            labels: [(labels::UPDATE_RESULT.to_owned(), None)].into(),
            ..MachineMarks::default()
        })
    })
}
