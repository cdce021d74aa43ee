//! Machines that an autoscaler chose to go with the next scale-down: takes them over from the deployment's annotation onto
//! the machines themselves, where the ranking of a set finds them, and keeps the annotation tidy.
//!
//! A mark is never taken back. A machine that the annotation stops to name was drained and cordoned all the same, and the
//! size that was lowered for it may not have reached its set yet: without its mark another one would go in its place.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use millwright_api::keys::annotations as keys;
use millwright_api::{Machine, MachineDeployment, MachinePhase, ObjectView};

use super::claim::Claim;
use super::{
    DeploymentAction, DeploymentPatch, DeploymentView, Lock, MachineMarks, SetFacts, SetPatch, annotations,
};
use crate::elapsed::whole_seconds;

/// Priority of a machine that goes first.
const CHOSEN: &str = "1";

/// Marks the machines of the annotation, and drops its entries that nobody can act on.
pub(super) fn plan(view: &DeploymentView<'_>, claim: &Claim<'_>, now: Timestamp) -> Vec<DeploymentAction> {
    let deployment = view.deployment;
    let Some(text) = deployment.annotation(keys::TRIGGER_DELETION) else { return Vec::new() };
    let machines: BTreeMap<&str, &Machine> = claim
        .all()
        .flat_map(|facts| &facts.members)
        .map(|member| (member.machine.name(), member.machine))
        .collect();
    let mut actions = Vec::new();
    let mut kept = Vec::new();
    let mut seen = BTreeSet::new();
    let mut times = Times::default();
    for entry in text.split(',').filter_map(|entry| Entry::read(entry.trim())) {
        let Some(machine) = machines.get(entry.name).filter(|machine| !goes_anyway(machine)) else {
            continue;
        };
        if !seen.insert(entry.name) {
            continue;
        }
        let time = match entry.time {
            Some(time) => time.to_owned(),
            None => times.of_bare(deployment, claim, now),
        };
        kept.push(format!("{}~{time}", entry.name));
        actions.extend(marks(machine, &time).map(DeploymentAction::PatchMachine));
    }
    let kept = kept.join(",");
    if kept != text {
        let mut changes: BTreeMap<String, Option<String>> = times.change;
        changes.insert(keys::TRIGGER_DELETION.to_owned(), Some(kept).filter(|kept| !kept.is_empty()));
        // The autoscaler writes it too: what it has just added must not be lost.
        let patch =
            DeploymentPatch { annotations: changes, lock: Lock::Version, ..DeploymentPatch::default() };
        actions.push(DeploymentAction::PatchDeployment(patch));
    }
    actions
}

/// Brings the time of the autoscaler's last change to sets with marked machines, when no other write does: of a size that
/// was lowered and raised again before anybody saw it, that time is all that is left.
///
/// Not before the sizes are right: a set that learns of it earlier deletes the marked machine and makes another.
pub(super) fn hand_down(deployment: &MachineDeployment, claim: &Claim<'_>) -> Vec<DeploymentAction> {
    let Some(time) = deployment.annotation(keys::LAST_REPLICA_CHANGE_BY_SCALER) else { return Vec::new() };
    let wanted = || [(keys::LAST_REPLICA_CHANGE_BY_SCALER.to_owned(), time.to_owned())].into();
    claim
        .all()
        .filter(|facts| !facts.set.is_deleting() && has_marked(facts))
        .map(|facts| SetPatch {
            annotations: annotations::missing(facts.set, wanted()),
            ..SetPatch::of(facts.set.name())
        })
        .filter(|patch| !patch.is_empty())
        .map(DeploymentAction::PatchSet)
        .collect()
}

fn has_marked(facts: &SetFacts<'_>) -> bool {
    let mut machines = facts.members.iter().map(|member| member.machine);
    machines
        .any(|machine| !machine.is_deleting() && machine.annotation(keys::MARKED_FOR_DELETION_TIME).is_some())
}

/// One machine of the annotation.
struct Entry<'a> {
    name: &'a str,
    /// When it was chosen; old autoscalers do not tell.
    time: Option<&'a str>,
}

impl<'a> Entry<'a> {
    /// `None` when it is malformed.
    fn read(text: &'a str) -> Option<Self> {
        let (name, time) = match text.split_once('~') {
            None => (text, None),
            Some((name, time)) => (name, Some(time)),
        };
        let is_readable = time.is_none_or(|time| time.parse::<Timestamp>().is_ok());
        (!name.is_empty() && is_readable).then_some(Self { name, time })
    }
}

/// The time for entries that have none, and what must be written for it.
#[derive(Default)]
struct Times {
    found: Option<String>,
    change: BTreeMap<String, Option<String>>,
}

impl Times {
    /// That of the autoscaler's last change. One that the newest set has already speaks of an earlier change; then it is now.
    fn of_bare(&mut self, deployment: &MachineDeployment, claim: &Claim<'_>, now: Timestamp) -> String {
        if let Some(found) = &self.found {
            return found.clone();
        }
        let handed = |key| claim.newest.as_ref().and_then(|newest| newest.set.annotation(key));
        let last = deployment
            .annotation(keys::LAST_REPLICA_CHANGE_BY_SCALER)
            .filter(|time| time.parse::<Timestamp>().is_ok())
            .filter(|time| handed(keys::LAST_REPLICA_CHANGE_BY_SCALER) != Some(time));
        let time = last.map_or_else(|| whole_seconds(now).to_string(), str::to_owned);
        if last.is_none() {
            self.change.insert(keys::LAST_REPLICA_CHANGE_BY_SCALER.to_owned(), Some(time.clone()));
        }
        self.found = Some(time.clone());
        time
    }
}

/// It is on its way out, or will be replaced: there is nothing to mark.
fn goes_anyway(machine: &Machine) -> bool {
    let phase = &machine.status.current_status.phase;
    machine.is_deleting() || matches!(phase, MachinePhase::Failed | MachinePhase::Terminating)
}

/// What the machine lacks. The first mark counts: chosen twice, it was chosen then.
fn marks(machine: &Machine, time: &str) -> Option<MachineMarks> {
    let mut annotations = BTreeMap::new();
    if machine.annotation(keys::MACHINE_PRIORITY) != Some(CHOSEN) {
        annotations.insert(keys::MACHINE_PRIORITY.to_owned(), Some(CHOSEN.to_owned()));
    }
    if machine.annotation(keys::MARKED_FOR_DELETION_TIME).unwrap_or_default().is_empty() {
        annotations.insert(keys::MARKED_FOR_DELETION_TIME.to_owned(), Some(time.to_owned()));
    }
    (!annotations.is_empty()).then(|| MachineMarks {
        name: machine.name().to_owned(),
        uid: machine.uid().to_owned(),
        annotations,
        ..MachineMarks::default()
    })
}
