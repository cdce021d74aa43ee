//! What would happen if a change were made.

use std::collections::BTreeMap;

use millwright_api::{MachineDeployment, ObjectView};
use serde::Serialize;

use super::changed_field::changed_fields;
use super::forward::Forward;
use super::{Change, ChangedField, End, MachineCount, Reach, Step, Stillness};
use crate::spec_problem::spec_problem;

/// The answer to "what if": counts, steps and bounds. Where the end is not rest, they speak of the steps looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    /// Fields that differ, and how far they reach.
    pub changes: Vec<ChangedField>,
    /// Machines that would be made, by class.
    pub created: Vec<MachineCount>,
    /// Machines of today that would go and get a successor, by class.
    pub replaced: Vec<MachineCount>,
    /// Machines of today that would go and get none, by class.
    pub deleted: Vec<MachineCount>,
    /// Machines of today that would be updated in place, by class.
    pub updated_in_place: Vec<MachineCount>,
    /// Machines of today that would get fields written and otherwise stay.
    pub rewritten: usize,
    /// Machines of today that would stay as they are, rewritten ones included.
    pub kept: usize,
    /// What happens, in order.
    pub steps: Vec<Step>,
    /// The most machines that exist at the same time, those on their way out included.
    pub most_machines: usize,
    /// The fewest machines that are available at any time.
    pub fewest_available: usize,
    /// The most nodes that are missing at the same time of those that are there now and stay wanted.
    pub most_unavailable: usize,
    /// What it would have to wait for before it goes on, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
    /// Why machines are left that are not as they shall be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stillness: Option<Stillness>,
    /// How it ends.
    pub end: End,
}

impl Preview {
    pub(super) fn of(change: &Change<'_>, forward: Forward<'_>, end: End) -> Self {
        let today = || change.machines.iter().filter(|machine| !machine.is_deleting());
        let class_of: BTreeMap<&str, &str> =
            today().map(|machine| (machine.name(), machine.spec.class.name.as_str())).collect();
        let is_left =
            |name: &str| forward.world.machines.get(name).is_some_and(|machine| !machine.is_deleting());
        let gone = forward.steps.iter().flat_map(|step| &step.deleted);
        let gone: Vec<&str> = gone.filter_map(|name| class_of.get(name.as_str()).copied()).collect();
        let successors = forward.made.keys().filter(|name| is_left(name)).count().min(gone.len());
        let updated = forward.updated.iter().filter(|name| is_left(name));
        let updated: Vec<&str> = updated.filter_map(|name| class_of.get(name.as_str()).copied()).collect();
        let written = forward.steps.iter().flat_map(|step| &step.rewritten);
        let mut written: Vec<&str> =
            written.map(String::as_str).filter(|name| class_of.contains_key(name)).collect();
        written.sort_unstable();
        written.dedup();
        let available = forward.at_first;
        let wanted = usize::try_from(change.after.spec.replicas).unwrap_or(0);
        Self {
            changes: change.before.map(|before| changed_fields(before, change.after)).unwrap_or_default(),
            created: MachineCount::of(forward.made.values().map(String::as_str)),
            replaced: MachineCount::of(gone.iter().take(successors).copied()),
            deleted: MachineCount::of(gone.iter().skip(successors).copied()),
            kept: today().filter(|machine| is_left(machine.name())).count() - updated.len(),
            updated_in_place: MachineCount::of(updated),
            rewritten: written.into_iter().filter(|name| is_left(name)).count(),
            most_machines: forward.most,
            fewest_available: forward.fewest,
            most_unavailable: available.min(wanted).saturating_sub(forward.fewest),
            stillness: if end == End::Rest { stillness(&forward) } else { None },
            held: forward.held,
            steps: forward.steps,
            end,
        }
    }

    /// Fields that reach the machines that are there without replacing any.
    pub fn without_rollout(&self) -> impl Iterator<Item = &str> {
        self.changes.iter().filter(|field| field.reach == Reach::Machines).map(|field| field.path.as_str())
    }
}

/// Why not everything is as it shall be, although nobody has anything to do.
fn stillness(forward: &Forward<'_>) -> Option<Stillness> {
    let deployment: &MachineDeployment = &forward.world.deployment;
    let spec = &deployment.spec;
    if deployment.is_deleting() {
        return None;
    }
    if let Some(message) = spec_problem(spec.replicas, spec.selector.as_ref(), &spec.template) {
        return Some(Stillness::Unusable { message });
    }
    if forward.outdated() == 0 {
        return None;
    }
    if spec.paused {
        return Some(Stillness::Paused);
    }
    if let Some(message) = forward.world.hold(forward.settings, forward.now) {
        return Some(Stillness::Held { message });
    }
    let strategy = &spec.strategy;
    match strategy.type_.as_str() {
        "" | "RollingUpdate" | "Recreate" => {}
        "InPlaceUpdate" => {
            let orchestration =
                strategy.in_place_update.as_ref().map(|given| given.orchestration_type.as_str());
            if orchestration == Some("Manual") {
                return Some(Stillness::ChoiceOfNodes);
            }
        }
        other => return Some(Stillness::UnknownStrategy { strategy: other.to_owned() }),
    }
    let living = forward.world.machines.values().filter(|machine| !machine.is_deleting());
    match living.filter(|machine| !forward.is_available(machine)).count() {
        0 => Some(Stillness::Other),
        machines => Some(Stillness::Unavailable { machines }),
    }
}
