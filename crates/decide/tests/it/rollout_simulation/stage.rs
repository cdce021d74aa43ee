//! A world as it is, and as the controllers see it: what they write themselves they see at once, what others do
//! when it is shown to them.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use millwright_api::ObjectView;
use millwright_api::keys::labels::NODE;
use millwright_decide::deployment::{DeploymentAction, Lock};
use millwright_decide::machineset::SetAction;
use millwright_decide::preview::{Outcome, Planner, World};
use millwright_decide::{NameSource, RolloutSettings};

/// The two sides of a world. Memories are those of the side that is seen.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    pub(crate) real: World,
    pub(crate) seen: World,
}

/// A step of somebody's plan.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Deployment(DeploymentAction),
    Set(String, SetAction),
}

impl Action {
    /// The machine that it is done to.
    fn machine(&self) -> Option<&str> {
        match self {
            Self::Deployment(action) => match action {
                DeploymentAction::PatchMachine(marks) => Some(&marks.name),
                DeploymentAction::MoveMachine(change) => Some(&change.name),
                DeploymentAction::PatchNode { machine, .. } => Some(machine),
                _ => None,
            },
            Self::Set(_, action) => match action {
                SetAction::AdoptMachine { name }
                | SetAction::ReleaseMachine { name }
                | SetAction::DeleteMachine { name, .. }
                | SetAction::AnnotateMachine { name, .. } => Some(name),
                SetAction::CreateMachine(machine) => Some(machine.name()),
                SetAction::UpdateMachine(patch) => Some(&patch.name),
                _ => None,
            },
        }
    }
}

impl Stage {
    /// A world of which everything is seen.
    pub(crate) fn of(world: World) -> Self {
        Self { seen: world.clone(), real: world }
    }

    /// What somebody wants to do on the strength of what he sees.
    pub(crate) fn plan(
        &self,
        planner: &Planner,
        settings: &RolloutSettings,
        names: &mut dyn NameSource,
        now: Timestamp,
    ) -> Vec<Action> {
        match planner {
            Planner::Deployment => {
                let plan = self.seen.plan_deployment(settings, now);
                // What is written on machines and nodes comes before the sizes that rely on it.
                let (first, then): (Vec<_>, Vec<_>) = plan.actions.into_iter().partition(|action| {
                    matches!(
                        action,
                        DeploymentAction::PatchMachine(_)
                            | DeploymentAction::MoveMachine(_)
                            | DeploymentAction::PatchNode { .. }
                    )
                });
                first.into_iter().chain(then).map(Action::Deployment).collect()
            }
            Planner::Set(uid) => {
                let plan = self.seen.plan_set(uid, settings, names, now);
                plan.actions.into_iter().map(|action| Action::Set(uid.clone(), action)).collect()
            }
        }
    }

    /// Carries out a step; what it was done to is seen as it is from then on.
    pub(crate) fn perform(&mut self, action: &Action, now: Timestamp) -> Outcome {
        if let Action::Deployment(DeploymentAction::PatchDeployment(patch)) = action
            && patch.lock == Lock::Version
            && self.seen.deployment.resource_version() != self.real.deployment.resource_version()
        {
            return Outcome::Refused;
        }
        let outcome = match action {
            Action::Deployment(action) => {
                self.seen.do_for_deployment(action, now);
                self.real.do_for_deployment(action, now)
            }
            Action::Set(uid, action) => {
                self.seen.do_for_set(uid, action, now);
                self.real.do_for_set(uid, action, now)
            }
        };
        match action {
            Action::Deployment(
                DeploymentAction::PatchDeployment(_)
                | DeploymentAction::SetFinalizers(_)
                | DeploymentAction::PatchStatus(_),
            ) => self.show_deployment(),
            _ => {
                if let Some(name) = action.machine() {
                    self.show_machine(name);
                }
            }
        }
        outcome
    }

    /// What a user did to the deployment comes to be seen.
    pub(crate) fn show_deployment(&mut self) {
        self.seen.deployment = self.real.deployment.clone();
    }

    /// What became of a machine and its node comes to be seen.
    pub(crate) fn show_machine(&mut self, name: &str) {
        let nodes: Vec<String> = [self.seen.machines.get(name), self.real.machines.get(name)]
            .into_iter()
            .flatten()
            .filter_map(|machine| machine.label(NODE).map(str::to_owned))
            .collect();
        copy(&self.real.machines, &mut self.seen.machines, name);
        for node in nodes {
            copy(&self.real.nodes, &mut self.seen.nodes, &node);
        }
    }

    /// Names of machines that exist or are thought to.
    pub(crate) fn machines(&self) -> BTreeSet<String> {
        self.real.machines.keys().chain(self.seen.machines.keys()).cloned().collect()
    }
}

fn copy<T: Clone>(from: &BTreeMap<String, T>, to: &mut BTreeMap<String, T>, name: &str) {
    match from.get(name) {
        Some(object) => drop(to.insert(name.to_owned(), object.clone())),
        None => drop(to.remove(name)),
    }
}
