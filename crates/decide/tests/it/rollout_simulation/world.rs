//! A deployment, its sets and machines, and the passage of time.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use millwright_api::{Machine, MachineDeployment, MachinePhase, ObjectView, OperationState};
use millwright_decide::deployment::DeploymentAction;
use millwright_decide::machineset::SetAction;
use millwright_decide::preview::{self, Outcome, Planner};
use millwright_decide::{RolloutSettings, TargetCluster};

use super::stage::{Action, Stage};
use crate::fixtures::names::Counting;
use crate::fixtures::time::at;

/// How long things take a machine, in ticks of one second.
#[derive(Clone, Copy, Debug)]
struct Life {
    born: i64,
    boot: i64,
    end: i64,
    dying: Option<i64>,
}

#[derive(Debug)]
pub(super) struct World {
    pub(super) now: i64,
    /// VMs that the cloud grants; without one as many as are asked for.
    pub(super) quota: Option<usize>,
    stage: Stage,
    settings: RolloutSettings,
    lives: BTreeMap<String, Life>,
    names: Counting,
    born: i64,
    /// The order in which sets were made, for the log.
    made: Vec<String>,
    log: String,
}

impl World {
    pub(super) fn of(deployment: MachineDeployment) -> Self {
        let world = preview::World { deployment: Arc::new(deployment), ..preview::World::default() };
        Self {
            now: 0,
            quota: None,
            stage: Stage::of(world),
            settings: RolloutSettings::default(),
            lives: BTreeMap::new(),
            names: Counting::default(),
            born: 0,
            made: Vec::new(),
            log: String::new(),
        }
    }

    /// A user changes the deployment.
    pub(super) fn edit(&mut self, edit: impl FnOnce(&mut MachineDeployment)) {
        let deployment = Arc::make_mut(&mut self.stage.real.deployment);
        edit(deployment);
        deployment.metadata.resource_version = Some(self.now.to_string());
    }

    pub(super) fn deployment(&self) -> &MachineDeployment {
        &self.stage.real.deployment
    }

    pub(super) fn log(&self) -> &str {
        &self.log
    }

    pub(super) fn note(&mut self, what: &str) {
        writeln!(self.log, "{:>4}  {what}", self.now).unwrap();
    }

    /// Everybody who plans.
    pub(super) fn planners(&self) -> Vec<Planner> {
        self.stage.seen.planners()
    }

    /// Machines that nobody asked to go.
    pub(super) fn living(&self) -> i32 {
        self.count(|machine| !machine.is_deleting())
    }

    /// Machines on their way out.
    pub(super) fn leaving(&self) -> i32 {
        self.count(Machine::is_deleting)
    }

    /// Machines that do their work.
    pub(super) fn available(&self) -> i32 {
        self.count(is_available)
    }

    /// Classes of which machines exist.
    pub(super) fn classes(&self) -> BTreeSet<&str> {
        self.stage.real.machines.values().map(|machine| machine.spec.class.name.as_str()).collect()
    }

    fn count(&self, test: impl Fn(&Machine) -> bool) -> i32 {
        let machines = self.stage.real.machines.values();
        i32::try_from(machines.filter(|machine| test(machine)).count()).unwrap()
    }

    /// One second passes: machines boot, break or are gone.
    pub(super) fn pass(&mut self) {
        self.now += 1;
        let now = at(self.now);
        let machines: Vec<Arc<Machine>> = self.stage.real.machines.values().cloned().collect();
        for machine in machines {
            let name = machine.name();
            let life = self.lives[name];
            if life.dying.is_some_and(|since| self.now >= since + life.end) {
                self.stage.real.vanish(name);
                continue;
            }
            let age = self.now - life.born;
            let broken = machine.spec.class.name == "broken";
            let real = &mut self.stage.real;
            let phase = &machine.status.current_status.phase;
            match phase {
                MachinePhase::Running | MachinePhase::Failed => {}
                _ if broken && age >= 2 * life.boot => real.enter(name, MachinePhase::Failed, now),
                _ if broken && age >= life.boot => {
                    real.enter(name, MachinePhase::CrashLoopBackOff, now);
                    let machine = real.machines.get_mut(name).map(Arc::make_mut).unwrap();
                    machine.status.last_operation.state = OperationState::Failed;
                }
                MachinePhase::Pending if age >= life.boot => real.join(name, TargetCluster::Present, now),
                MachinePhase::Pending => {}
                _ if machine.is_deleting() => {}
                _ => self.ask_for_vm(name),
            }
        }
    }

    /// The cloud makes the VM, or says that there are none left.
    fn ask_for_vm(&mut self, name: &str) {
        let has_vm = |machine: &Machine| {
            !matches!(
                machine.status.current_status.phase,
                MachinePhase::Empty | MachinePhase::CrashLoopBackOff
            )
        };
        let vms = self.stage.real.machines.values().filter(|machine| has_vm(machine)).count();
        let granted = self.quota.is_none_or(|quota| vms < quota);
        let phase = if granted { MachinePhase::Pending } else { MachinePhase::CrashLoopBackOff };
        self.stage.real.enter(name, phase, at(self.now));
        if granted {
            self.lives.get_mut(name).unwrap().born = self.now - 1;
        }
    }

    /// The controllers come to see those changes for which `shows` says so.
    pub(super) fn show(&mut self, mut shows: impl FnMut() -> bool) {
        if shows() {
            self.stage.show_deployment();
        }
        for name in self.stage.machines() {
            if shows() {
                self.stage.show_machine(&name);
            }
        }
    }

    /// How many steps somebody would take if he looked at that second.
    pub(super) fn steps_at(&self, planner: &Planner, seconds: i64) -> usize {
        self.stage.plan(planner, &self.settings, &mut Counting::default(), at(seconds)).len()
    }

    /// Lets somebody plan and carries out the first `steps` of the plan; then he dies.
    pub(super) fn run(&mut self, planner: &Planner, steps: usize) {
        let now = at(self.now);
        let mut actions = self.stage.plan(planner, &self.settings, &mut self.names, now);
        actions.truncate(steps);
        if let Planner::Set(uid) = planner {
            self.note_set(uid, &actions);
        }
        for action in actions {
            self.note_action(&action);
            if self.stage.perform(&action, now) == Outcome::Refused {
                return;
            }
            self.follow(&action);
        }
    }

    /// Keeps what a step means for the passage of time.
    fn follow(&mut self, action: &Action) {
        let Action::Set(_, action) = action else { return };
        match action {
            SetAction::CreateMachine(machine) => {
                // Machines differ, so that they do not all come and go at once.
                let spread = self.born % 3;
                self.born += 1;
                let life = Life { born: self.now, boot: 3 + spread, end: 2 + 2 * spread, dying: None };
                self.lives.insert(machine.name().to_owned(), life);
            }
            SetAction::DeleteMachine { name, .. } => {
                if let Some(life) = self.lives.get_mut(name) {
                    assert!(life.dying.is_none(), "{name} is deleted a second time\n{}", self.log);
                    life.dying = Some(self.now);
                }
            }
            _ => {}
        }
    }

    fn alias(&self, set: &str) -> String {
        let number = self.made.iter().position(|made| made == set).unwrap() + 1;
        format!("set-{number}")
    }

    fn note_action(&mut self, action: &Action) {
        let Action::Deployment(action) = action else { return };
        match action {
            DeploymentAction::CreateSet(set) => {
                if !self.made.iter().any(|made| made == set.name()) {
                    self.made.push(set.name().to_owned());
                }
                let alias = self.alias(set.name());
                let class = &set.spec.template.spec.class.name;
                self.note(&format!("deployment creates {alias} of class {class} for {}", set.spec.replicas));
            }
            DeploymentAction::PatchSet(patch) => {
                if let Some((from, to)) = patch.replicas {
                    let alias = self.alias(&patch.name);
                    self.note(&format!("deployment scales {alias} {from} -> {to}"));
                }
            }
            DeploymentAction::DeleteSet { name, .. } => {
                let alias = self.alias(name);
                self.note(&format!("deployment deletes {alias}"));
            }
            DeploymentAction::PatchDeployment(patch) => {
                if let Some(template) = &patch.template {
                    let class = &template.spec.class.name;
                    self.note(&format!("deployment goes back to class {class}"));
                }
            }
            _ => {}
        }
    }

    fn note_set(&mut self, uid: &str, actions: &[Action]) {
        let Some(name) = self.stage.real.set(uid).map(|set| set.name().to_owned()) else { return };
        let alias = self.alias(&name);
        let count = |test: fn(&SetAction) -> bool| {
            actions.iter().filter(|action| matches!(action, Action::Set(_, action) if test(action))).count()
        };
        let created = count(|action| matches!(action, SetAction::CreateMachine(_)));
        let deleted = count(|action| matches!(action, SetAction::DeleteMachine { .. }));
        for (count, what) in [(created, "creates"), (deleted, "deletes")] {
            if count > 0 {
                self.note(&format!("{alias} {what} {count}"));
            }
        }
    }

    /// What is there of each set that has anything, for the log.
    pub(super) fn picture(&self) -> String {
        let sets = self.stage.real.sets.iter().filter_map(|set| {
            let own: Vec<&Machine> = self.stage.real.machines_of(set.uid()).collect();
            let count = |test: fn(&Machine) -> bool| own.iter().filter(|machine| test(machine)).count();
            let (available, leaving) = (count(is_available), count(Machine::is_deleting));
            let stuck = count(is_stuck);
            let booting = own.len() - available - leaving - stuck;
            let stuck = if stuck == 0 { String::new() } else { format!("{stuck} without VM or broken, ") };
            (set.spec.replicas > 0 || !own.is_empty()).then(|| {
                format!(
                    "{} wants {}: {available} available, {booting} booting, {stuck}{leaving} leaving",
                    self.alias(set.name()),
                    set.spec.replicas
                )
            })
        });
        sets.collect::<Vec<_>>().join("; ")
    }
}

fn is_available(machine: &Machine) -> bool {
    !machine.is_deleting() && machine.status.current_status.phase == MachinePhase::Running
}

fn is_stuck(machine: &Machine) -> bool {
    let phase = &machine.status.current_status.phase;
    !machine.is_deleting() && matches!(phase, MachinePhase::CrashLoopBackOff | MachinePhase::Failed)
}
