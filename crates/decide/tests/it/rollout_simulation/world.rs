//! A deployment, its sets and machines, and the passage of time.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use millwright_api::{
    Machine, MachineDeployment, MachinePhase, MachineSet, ObjectView, OperationState, controller_of,
};
use millwright_decide::deployment::{
    self, DeploymentAction, DeploymentMemory, DeploymentView, SetFacts, SetPatch,
};
use millwright_decide::machineset::{self, SetAction, SetMemory, SetView};
use millwright_decide::{Freeze, RolloutSettings};

use crate::fixtures::names::Counting;
use crate::fixtures::time::{at, time};

/// How long things take, in ticks of one second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) boot: i64,
    pub(super) end: i64,
}

/// Something that plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Controller {
    Deployment,
    /// The set of that UID.
    Set(String),
}

/// A machine as it is, and as the controllers see it: their own writes at once, the rest when it is shown.
#[derive(Debug)]
struct Body {
    real: Option<Machine>,
    seen: Option<Machine>,
    born: i64,
    pace: Pace,
    dying: Option<i64>,
}

#[derive(Debug)]
pub(super) struct World {
    pub(super) deployment: MachineDeployment,
    pub(super) now: i64,
    settings: RolloutSettings,
    memory: DeploymentMemory,
    sets: Vec<MachineSet>,
    set_memories: BTreeMap<String, SetMemory>,
    bodies: Vec<Body>,
    names: Counting,
    /// The order in which sets were made, for the log.
    made: Vec<String>,
    log: String,
}

impl World {
    pub(super) fn of(deployment: MachineDeployment) -> Self {
        Self {
            deployment,
            now: 0,
            settings: RolloutSettings::default(),
            memory: DeploymentMemory::default(),
            sets: Vec::new(),
            set_memories: BTreeMap::new(),
            bodies: Vec::new(),
            names: Counting::default(),
            made: Vec::new(),
            log: String::new(),
        }
    }

    pub(super) fn log(&self) -> &str {
        &self.log
    }

    pub(super) fn note(&mut self, what: &str) {
        writeln!(self.log, "{:>4}  {what}", self.now).unwrap();
    }

    /// Everybody who plans.
    pub(super) fn controllers(&self) -> Vec<Controller> {
        let sets = self.sets.iter().map(|set| Controller::Set(set.uid().to_owned()));
        std::iter::once(Controller::Deployment).chain(sets).collect()
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
        self.bodies.iter().filter_map(|body| Some(body.real.as_ref()?.spec.class.name.as_str())).collect()
    }

    fn count(&self, test: impl Fn(&Machine) -> bool) -> i32 {
        let machines = self.bodies.iter().filter_map(|body| body.real.as_ref());
        i32::try_from(machines.filter(|machine| test(machine)).count()).unwrap()
    }

    /// One second passes: machines boot, break or are gone.
    pub(super) fn pass(&mut self) {
        self.now += 1;
        for body in &mut self.bodies {
            if body.dying.is_some_and(|since| self.now >= since + body.pace.end) {
                body.real = None;
            }
            let Some(machine) = &mut body.real else { continue };
            let age = self.now - body.born;
            let broken = machine.spec.class.name == "broken";
            machine.status.current_status.phase = match () {
                () if broken && age >= 2 * body.pace.boot => MachinePhase::Failed,
                () if broken && age >= body.pace.boot => MachinePhase::CrashLoopBackOff,
                () if !broken && age >= body.pace.boot => MachinePhase::Running,
                () => MachinePhase::Pending,
            };
            if broken {
                machine.status.last_operation.state = OperationState::Failed;
            }
        }
    }

    /// The controllers come to see those machines for which `shows` says so.
    pub(super) fn show(&mut self, mut shows: impl FnMut() -> bool) {
        for body in &mut self.bodies {
            if shows() {
                body.seen.clone_from(&body.real);
            }
        }
        self.bodies.retain(|body| body.real.is_some() || body.seen.is_some());
    }

    fn seen_of<'a>(&'a self, uid: &'a str) -> impl Iterator<Item = &'a Machine> {
        self.bodies
            .iter()
            .filter_map(|body| body.seen.as_ref())
            .filter(move |machine| controller_of(&machine.metadata).is_some_and(|owner| owner.uid == uid))
    }

    /// How many steps the controller would take if it looked at that second.
    pub(super) fn steps_at(&self, controller: &Controller, seconds: i64) -> usize {
        match controller {
            Controller::Deployment => self.plan_deployment(seconds).actions.len(),
            Controller::Set(uid) => {
                self.plan_set(uid, seconds, &mut Counting::default()).map_or(0, |plan| plan.actions.len())
            }
        }
    }

    /// Lets a controller plan and carries out the first `steps` of its plan; then it dies.
    pub(super) fn run(&mut self, controller: &Controller, steps: usize) {
        match controller {
            Controller::Deployment => {
                let plan = self.plan_deployment(self.now);
                plan.actions.into_iter().take(steps).for_each(|action| self.do_for_deployment(action));
            }
            Controller::Set(uid) => {
                let mut names = std::mem::take(&mut self.names);
                let plan = self.plan_set(uid, self.now, &mut names);
                self.names = names;
                let Some(plan) = plan else { return };
                let name = self.alias(self.set(uid).name());
                let done: Vec<SetAction> = plan.actions.into_iter().take(steps).collect();
                self.note_set(&name, &done);
                done.into_iter().for_each(|action| self.do_for_set(uid, action));
            }
        }
    }

    fn plan_deployment(&self, seconds: i64) -> deployment::DeploymentPlan {
        let sets = self
            .sets
            .iter()
            .map(|set| {
                let machines: Vec<&Machine> = self.seen_of(set.uid()).collect();
                let available = machines.iter().filter(|machine| is_available(machine)).count();
                SetFacts {
                    set,
                    members: Vec::new(),
                    machines: i32::try_from(machines.len()).unwrap(),
                    ready: i32::try_from(available).unwrap(),
                    available: i32::try_from(available).unwrap(),
                    preserved_failed: 0,
                    failed: Vec::new(),
                    successors: 0,
                }
            })
            .collect();
        let view = DeploymentView {
            deployment: &self.deployment,
            sets,
            class: None,
            settings: &self.settings,
            memory: &self.memory,
            freeze: Freeze::Thawed,
        };
        deployment::plan(&view, at(seconds))
    }

    fn plan_set(&self, uid: &str, seconds: i64, names: &mut Counting) -> Option<machineset::SetPlan> {
        let set = self.sets.iter().find(|set| set.uid() == uid)?;
        let memory = self.set_memories.get(uid).cloned().unwrap_or_default();
        let machines = self.seen_of(uid).collect();
        let view = SetView {
            set,
            deployment: Some(&self.deployment),
            settings: &self.settings,
            machines,
            failed_nodes: HashMap::new(),
            memory: &memory,
            freeze: Freeze::Thawed,
        };
        Some(machineset::plan(&view, names, at(seconds)))
    }

    fn set(&self, uid: &str) -> &MachineSet {
        self.sets.iter().find(|set| set.uid() == uid).unwrap()
    }

    fn do_for_deployment(&mut self, action: DeploymentAction) {
        match action {
            DeploymentAction::SetFinalizers(list) => self.deployment.metadata.finalizers = Some(list),
            DeploymentAction::PatchDeployment(patch) => {
                let given = patch.annotations.into_iter().filter_map(|(key, value)| Some((key, value?)));
                self.deployment.metadata.annotations.get_or_insert_default().extend(given);
            }
            DeploymentAction::CreateSet(set) => self.create_set(*set),
            DeploymentAction::PatchSet(patch) => self.patch_set(patch),
            DeploymentAction::DeleteSet { name, .. } => {
                let alias = self.alias(&name);
                self.note(&format!("deployment deletes {alias}"));
                let set = self.sets.iter_mut().find(|set| set.name() == name).unwrap();
                set.metadata.deletion_timestamp = time(self.now);
            }
            DeploymentAction::PatchStatus(status) => {
                self.deployment.status = *status;
                self.memory.status_written_at = Some(at(self.now));
            }
            other => panic!("nobody gave a reason for {other:?}"),
        }
    }

    fn create_set(&mut self, mut set: MachineSet) {
        if self.sets.iter().any(|other| other.name() == set.name()) {
            self.memory.name_taken = set.metadata.name;
            return;
        }
        self.made.push(set.name().to_owned());
        set.metadata.uid = Some(format!("uid-set-{}", self.made.len()));
        set.metadata.creation_timestamp = time(self.now);
        let alias = self.alias(set.name());
        self.note(&format!(
            "deployment creates {alias} of class {} for {}",
            set.spec.template.spec.class.name, set.spec.replicas
        ));
        self.sets.push(set);
    }

    fn patch_set(&mut self, patch: SetPatch) {
        let alias = self.alias(&patch.name);
        if let Some((from, to)) = patch.replicas {
            self.note(&format!("deployment scales {alias} {from} -> {to}"));
        }
        let set = self.sets.iter_mut().find(|set| set.name() == patch.name).unwrap();
        if let Some((from, to)) = patch.replicas {
            assert_eq!(set.spec.replicas, from, "a scaling must start from what is");
            set.spec.replicas = to;
        }
        set.metadata.annotations.get_or_insert_default().extend(patch.annotations);
        if let Some(template) = patch.template {
            set.spec.template = *template;
        }
    }

    fn do_for_set(&mut self, uid: &str, action: SetAction) {
        match action {
            SetAction::SetFinalizers(list) => {
                let dead = list.is_empty() && self.set(uid).is_deleting();
                self.sets.iter_mut().find(|set| set.uid() == uid).unwrap().metadata.finalizers = Some(list);
                if dead {
                    self.sets.retain(|set| set.uid() != uid);
                }
            }
            SetAction::CreateMachine(machine) => self.create_machine(*machine),
            SetAction::DeleteMachine { name, .. } => self.delete_machine(&name),
            SetAction::MarkSet(marks) => {
                let set = self.sets.iter_mut().find(|set| set.uid() == uid).unwrap();
                let labels = set.metadata.labels.get_or_insert_default();
                for (key, value) in marks.labels {
                    match value {
                        Some(value) => drop(labels.insert(key.to_owned(), value.to_owned())),
                        None => drop(labels.remove(key)),
                    }
                }
            }
            SetAction::Freeze(status) | SetAction::Unfreeze(status) | SetAction::PatchStatus(status) => {
                self.sets.iter_mut().find(|set| set.uid() == uid).unwrap().status = *status;
                self.set_memories.entry(uid.to_owned()).or_default().status_written_at = Some(at(self.now));
            }
            other => panic!("nobody gave a reason for {other:?}"),
        }
    }

    fn create_machine(&mut self, mut machine: Machine) {
        machine.metadata.uid = Some(format!("uid-{}", machine.name()));
        machine.metadata.creation_timestamp = time(self.now);
        // Machines differ, so that they do not all come and go at once.
        let spread = i64::try_from(self.bodies.len()).unwrap() % 3;
        let pace = Pace { boot: 3 + spread, end: 2 + 2 * spread };
        let seen = Some(machine.clone());
        self.bodies.push(Body { real: Some(machine), seen, born: self.now, pace, dying: None });
    }

    fn delete_machine(&mut self, name: &str) {
        let now = self.now;
        let named =
            |machine: &Option<Machine>| machine.as_ref().is_some_and(|machine| machine.name() == name);
        let body = self.bodies.iter_mut().find(|body| named(&body.seen)).unwrap();
        for machine in [&mut body.real, &mut body.seen].into_iter().flatten() {
            assert!(!machine.is_deleting(), "{name} is deleted a second time");
            machine.metadata.deletion_timestamp = time(now);
        }
        body.dying = Some(now);
    }

    fn alias(&self, set: &str) -> String {
        let number = self.made.iter().position(|made| made == set).unwrap() + 1;
        format!("set-{number}")
    }

    fn note_set(&mut self, set: &str, actions: &[SetAction]) {
        let created = actions.iter().filter(|action| matches!(action, SetAction::CreateMachine(_))).count();
        let deleted =
            actions.iter().filter(|action| matches!(action, SetAction::DeleteMachine { .. })).count();
        for (count, what) in [(created, "creates"), (deleted, "deletes")] {
            if count > 0 {
                self.note(&format!("{set} {what} {count}"));
            }
        }
    }

    /// What is there of each set that has anything, for the log.
    pub(super) fn picture(&self) -> String {
        let sets = self.sets.iter().filter_map(|set| {
            let real = self.bodies.iter().filter_map(|body| body.real.as_ref());
            let own: Vec<&Machine> = real
                .filter(|machine| {
                    controller_of(&machine.metadata).is_some_and(|owner| owner.uid == set.uid())
                })
                .collect();
            let available = own.iter().filter(|machine| is_available(machine)).count();
            let leaving = own.iter().filter(|machine| machine.is_deleting()).count();
            let booting = own.len() - available - leaving;
            (set.spec.replicas > 0 || !own.is_empty()).then(|| {
                format!(
                    "{} wants {}: {available} available, {booting} booting, {leaving} leaving",
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
