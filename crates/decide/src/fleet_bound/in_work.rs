//! How many machines of a deployment are in work.

use std::collections::BTreeSet;

use millwright_api::keys::labels;
use millwright_api::{MachineDeployment, MachinePhase, ObjectView, controller_of};

use crate::Member;
use crate::deployment::{DeploymentAction, SetFacts};

/// Machines of one deployment that are too many and too few: what a surge and what an unavailability counts.
///
/// Machines that come and go in a scaling count while they do: from outside they are not told from those of a rollout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InWork {
    /// Machines there are or will be, those that are going included, above those wanted.
    pub surplus: i32,
    /// Available machines that are kept, below those wanted.
    pub shortage: i32,
    /// Machines that are not wanted any more and still there while their successors come: too many and too few at once, and
    /// yet one exchange.
    pub exchanged: i32,
}

impl InWork {
    /// Of a deployment with these sets, of which those of others do not count. One that is to go has none: its user has
    /// given up all of it.
    #[must_use]
    pub fn of(deployment: &MachineDeployment, sets: &[SetFacts<'_>]) -> Self {
        if deployment.is_deleting() {
            return Self::default();
        }
        let is_own = |facts: &&SetFacts<'_>| {
            controller_of(&facts.set.metadata).is_some_and(|owner| owner.uid == deployment.uid())
        };
        Self::among(deployment.spec.replicas.max(0), sets.iter().filter(is_own).map(Part::of))
    }

    /// All of them.
    #[must_use]
    pub const fn total(self) -> i32 {
        self.surplus.saturating_add(self.shortage) - self.exchanged
    }

    pub(crate) fn among(wanted: i32, parts: impl IntoIterator<Item = Part>) -> Self {
        let (mut room, mut lasting, mut unwanted) = (0_i32, 0_i32, 0_i32);
        for part in parts {
            room = room.saturating_add(part.room());
            lasting = lasting.saturating_add(part.lasting());
            unwanted = unwanted.saturating_add(part.room() - part.replicas);
        }
        let (surplus, shortage) = ((room - wanted).max(0), (wanted - lasting).max(0));
        Self { surplus, shortage, exchanged: surplus.min(shortage).min(unwanted) }
    }
}

/// What counts of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    replicas: i32,
    /// Those that stay.
    living: i32,
    /// Those on their way out; a set makes machines beside them.
    leaving: i32,
    available: i32,
}

impl Part {
    pub(crate) fn of(facts: &SetFacts<'_>) -> Self {
        let chosen = facts.members.iter().filter(|member| is_chosen(member)).count();
        let chosen = i32::try_from(chosen).unwrap_or(i32::MAX);
        Self {
            replicas: facts.set.spec.replicas,
            living: facts.machines - facts.leaving(),
            leaving: facts.leaving(),
            available: (facts.available - chosen).max(0),
        }
    }

    fn room(self) -> i32 {
        self.replicas.max(self.living).saturating_add(self.leaving)
    }

    fn lasting(self) -> i32 {
        self.available.min(self.replicas)
    }

    /// Machines that it shall have and that are not available, whoever is to blame.
    pub(crate) fn sick(self) -> i32 {
        self.replicas - self.lasting()
    }
}

fn serves(member: &Member<'_>) -> bool {
    let phase = &member.machine.status.current_status.phase;
    !member.machine.is_deleting() && matches!(phase, MachinePhase::Running | MachinePhase::Available)
}

/// An available machine that will be drained for its update: its node says so before its phase does.
fn is_chosen(member: &Member<'_>) -> bool {
    serves(member) && member.node.is_some_and(|node| node.label(labels::SELECTED_FOR_UPDATE).is_some())
}

/// How many of the machines of these UIDs are taken from work that they do.
pub(crate) fn missed<'a>(sets: impl Iterator<Item = &'a SetFacts<'a>>, chosen: &BTreeSet<&str>) -> i32 {
    let members = sets.flat_map(|facts| &facts.members);
    let missed = members.filter(|member| chosen.contains(member.machine.uid()) && serves(member)).count();
    i32::try_from(missed).unwrap_or(i32::MAX)
}

/// How many more machines are in work when these steps are done, which are steps for these sets.
pub(crate) fn cost<'a>(
    wanted: i32,
    sets: impl Iterator<Item = &'a SetFacts<'a>>,
    actions: &[DeploymentAction],
) -> i32 {
    let sets: Vec<&SetFacts<'_>> = sets.collect();
    let mut parts: Vec<(&str, Part)> = sets.iter().map(|facts| (facts.set.name(), Part::of(facts))).collect();
    let before = InWork::among(wanted, parts.iter().map(|(_, part)| *part));
    for action in actions {
        match action {
            DeploymentAction::CreateSet(set) => {
                let part = Part { replicas: set.spec.replicas, living: 0, leaving: 0, available: 0 };
                parts.push((set.name(), part));
            }
            DeploymentAction::PatchSet(patch) => {
                let found = parts.iter_mut().find(|(name, _)| *name == patch.name);
                if let (Some((_, part)), Some((_, replicas))) = (found, patch.replicas) {
                    part.replicas = replicas;
                }
            }
            DeploymentAction::PatchNode { machine, patch }
                if matches!(patch.labels.get(labels::SELECTED_FOR_UPDATE), Some(Some(_))) =>
            {
                let holds = |facts: &&&SetFacts<'_>| {
                    let mut members = facts.members.iter().filter(|member| member.machine.name() == machine);
                    members.any(|member| serves(member) && !is_chosen(member))
                };
                let set = sets.iter().find(holds).map(|facts| facts.set.name());
                if let Some((_, part)) = parts.iter_mut().find(|(name, _)| Some(*name) == set) {
                    part.available = (part.available - 1).max(0);
                }
            }
            _ => {}
        }
    }
    let after = InWork::among(wanted, parts.iter().map(|(_, part)| *part));
    (after.total() - before.total()).max(0)
}
