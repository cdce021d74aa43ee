//! Runs the decisions of a deployment and its sets forward until nobody has anything to do.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::Timestamp;
use millwright_api::keys::labels;
use millwright_api::{Machine, ObjectView, controller_of};

use super::names::Numbered;
use super::{Change, End, MachineCount, Planner, Preview, Step, World};
use crate::availability::Availability;
use crate::deployment::{DeploymentAction, rolls_nothing};
use crate::machineset::SetAction;
use crate::{Requeue, RolloutSettings};

/// How far a change is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Steps after which the rest is estimated.
    pub steps: usize,
}

impl Default for Bound {
    /// Enough for every rollout by shares; one machine at a time is estimated for more than some thirty machines.
    fn default() -> Self {
        Self { steps: 64 }
    }
}

/// Looks, without a machine getting further, after which nobody is ever done.
const LOOKS: usize = 200;
/// How often time is let pass because nothing else happens.
const WAITS: usize = 3;
/// Time between two steps: none that matters, since nobody knows how long they take.
const STEP: Duration = Duration::from_secs(1);

/// What would happen if the change were made.
#[must_use]
pub fn preview(change: &Change<'_>, bound: Bound) -> Preview {
    let mut forward = Forward::of(change);
    let end = forward.run(bound);
    Preview::of(change, forward, end)
}

/// A change on its way.
pub(super) struct Forward<'a> {
    pub(super) world: World,
    pub(super) settings: &'a RolloutSettings,
    pub(super) now: Timestamp,
    pub(super) steps: Vec<Step>,
    /// What the rollout had to wait for.
    pub(super) held: Option<String>,
    /// Classes of machines that were made, by name.
    pub(super) made: BTreeMap<String, String>,
    /// Machines that were taken over after an update in place.
    pub(super) updated: BTreeSet<String>,
    /// Machines that are available before anything happens.
    pub(super) at_first: usize,
    pub(super) most: usize,
    pub(super) fewest: usize,
    names: Numbered,
    /// Who has not looked since something changed for him.
    due: BTreeSet<Planner>,
    wake: Requeue,
}

impl<'a> Forward<'a> {
    fn of(change: &Change<'a>) -> Self {
        let world = change.world();
        let mut forward = Self {
            due: world.planners().into_iter().collect(),
            world,
            settings: change.settings,
            now: change.now,
            steps: Vec::new(),
            held: None,
            made: BTreeMap::new(),
            updated: BTreeSet::new(),
            at_first: 0,
            most: 0,
            fewest: usize::MAX,
            names: Numbered::default(),
            wake: Requeue::OnChange,
        };
        forward.at_first = forward.count().1;
        forward
    }

    fn run(&mut self, bound: Bound) -> End {
        let mut left = vec![self.outdated()];
        let mut waits = 0;
        loop {
            self.held = self.world.hold(self.settings, self.now).or(self.held.take());
            let Some(step) = self.act() else { return End::Endless };
            if !step.is_empty() {
                self.steps.push(step);
                left.push(self.outdated());
                waits = 0;
            }
            if self.steps.len() >= bound.steps {
                return cut(&left);
            }
            self.now += STEP;
            let goes_on = self.world.pass(self.settings.target, self.now);
            self.count();
            self.due = self.world.planners().into_iter().collect();
            if goes_on {
                continue;
            }
            match self.wake {
                Requeue::After(wait) if waits < WAITS && self.is_wanting() => {
                    waits += 1;
                    self.now += wait;
                }
                _ => return End::Rest,
            }
        }
    }

    /// Lets everybody do what can be done at once; `None` when that never ends.
    fn act(&mut self) -> Option<Step> {
        let mut step = Step::default();
        let mut made = Vec::new();
        self.wake = Requeue::OnChange;
        for _ in 0..LOOKS {
            let Some(planner) = self.due.pop_first() else {
                step.created = MachineCount::of(made.iter().map(String::as_str));
                let (machines, available) = self.count();
                return Some(Step { machines, available, ..step });
            };
            match planner {
                Planner::Deployment => {
                    let plan = self.world.plan_deployment(self.settings, self.now);
                    self.wake = self.wake.or(plan.requeue);
                    for action in &plan.actions {
                        let collisions = self.world.deployment.status.collision_count;
                        self.world.do_for_deployment(action, self.now);
                        if collisions != self.world.deployment.status.collision_count {
                            self.due.insert(Planner::Deployment);
                        }
                        self.note_deployment_action(action, &mut step);
                    }
                }
                Planner::Set(uid) => {
                    let plan = self.world.plan_set(&uid, self.settings, &mut self.names, self.now);
                    self.wake = self.wake.or(plan.requeue);
                    for action in &plan.actions {
                        self.note_set_action(&uid, action, &mut step, &mut made);
                        self.world.do_for_set(&uid, action, self.now);
                    }
                }
            }
        }
        None
    }

    fn note_deployment_action(&mut self, action: &DeploymentAction, step: &mut Step) {
        match action {
            DeploymentAction::PatchNode { machine, patch } => {
                if patch.labels.get(labels::SELECTED_FOR_UPDATE).is_some_and(Option::is_some) {
                    step.updating.push(machine.clone());
                }
                self.due.insert(Planner::Deployment);
            }
            DeploymentAction::PatchSet(patch) => {
                let sets = self.world.sets.iter().filter(|set| set.name() == patch.name);
                self.due.extend(sets.map(|set| Planner::Set(set.uid().to_owned())));
                self.due.insert(Planner::Deployment);
            }
            DeploymentAction::MoveMachine(change) => {
                self.updated.insert(change.name.clone());
                self.due.extend(self.world.planners());
            }
            DeploymentAction::CreateSet(_)
            | DeploymentAction::AdoptSet { .. }
            | DeploymentAction::ReleaseSet { .. }
            | DeploymentAction::DeleteSet { .. }
            | DeploymentAction::PatchMachine(_)
            | DeploymentAction::PatchDeployment(_)
            | DeploymentAction::SetFinalizers(_) => self.due.extend(self.world.planners()),
            DeploymentAction::PatchStatus(_)
            | DeploymentAction::WarnSelectingAll
            | DeploymentAction::WarnStrategy { .. } => {}
        }
    }

    fn note_set_action(&mut self, uid: &str, action: &SetAction, step: &mut Step, made: &mut Vec<String>) {
        match action {
            SetAction::CreateMachine(machine) => {
                let class = &machine.spec.class.name;
                made.push(class.clone());
                self.made.insert(machine.name().to_owned(), class.clone());
            }
            SetAction::DeleteMachine { name, .. } => step.deleted.push(name.clone()),
            SetAction::UpdateMachine(patch) => step.rewritten.push(patch.name.clone()),
            SetAction::PatchStatus(status) => {
                let shown = self.world.set(uid).map(|set| &set.status.conditions);
                if shown != Some(&status.conditions) {
                    self.due.insert(Planner::Deployment);
                }
                return;
            }
            SetAction::SetFinalizers(_)
            | SetAction::MarkSet(_)
            | SetAction::Freeze(_)
            | SetAction::Unfreeze(_)
            | SetAction::AdoptMachine { .. }
            | SetAction::ReleaseMachine { .. }
            | SetAction::AnnotateMachine { .. } => {}
        }
        self.due.extend([Planner::Deployment, Planner::Set(uid.to_owned())]);
    }

    /// Takes down how many machines there are, and how many of them are available.
    fn count(&mut self) -> (usize, usize) {
        let owned = self.world.machines.values().filter(|machine| controller_of(&machine.metadata).is_some());
        let machines = owned.clone().count();
        let available = owned.filter(|machine| self.is_available(machine)).count();
        self.most = self.most.max(machines);
        self.fewest = self.fewest.min(available);
        (machines, available)
    }

    /// Whether a machine does its work by now.
    pub(super) fn is_available(&self, machine: &Machine) -> bool {
        let min_ready = self.world.deployment.spec.min_ready_seconds;
        Availability::of(machine, min_ready, self.settings.min_ready, self.now) == Availability::Available
    }

    /// Not every machine is there that shall be, or not as it shall be.
    fn is_wanting(&self) -> bool {
        let living = self.world.machines.values().filter(|machine| !machine.is_deleting()).count();
        let wanted = usize::try_from(self.world.deployment.spec.replicas).unwrap_or(0);
        self.outdated() > 0 || living < wanted
    }

    /// Machines that are not of the template that is wanted.
    pub(super) fn outdated(&self) -> usize {
        let wanted = &self.world.deployment.spec.template;
        let current: BTreeSet<&str> = self
            .world
            .sets
            .iter()
            .filter(|set| rolls_nothing(&set.spec.template, wanted))
            .map(|set| set.uid())
            .collect();
        let owners = self.world.machines.values().filter(|machine| !machine.is_deleting());
        owners
            .filter_map(|machine| controller_of(&machine.metadata))
            .filter(|owner| !current.contains(owner.uid.as_str()))
            .count()
    }
}

/// What to say of a change that goes on: `left` has the machines that waited for their turn after each step.
fn cut(left: &[usize]) -> End {
    let at = |index: usize| left.get(index).copied().unwrap_or(0);
    let steps = left.len() - 1;
    let (first, half, last) = (at(0), at(steps / 2), at(steps));
    if last > 0 && last >= half {
        return End::Endless;
    }
    End::Unfinished {
        left: last,
        steps: (steps * first).checked_div(first - last).unwrap_or(steps).max(steps),
    }
}
