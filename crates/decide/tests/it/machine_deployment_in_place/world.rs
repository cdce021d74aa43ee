//! A deployment, its sets, machines and nodes, with all three controllers and an agent on each node. A second passes in each
//! round; nobody sees anything late.

mod deployment_actions;
mod sight;

use deployment_actions::change;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use millwright_api::keys::{annotations, labels, taints};
use millwright_api::{
    InPlaceUpdate, IntOrPercent, Machine, MachineDeployment, MachinePhase, MachineSet, NodeView, ObjectView,
    controller_of, controller_reference,
};
use millwright_decide::deployment::{
    self, DeploymentAction, DeploymentMemory, DeploymentPlan, DeploymentView, Fences, SetFacts,
};
use millwright_decide::drain::PodListing;
use millwright_decide::machine::{BootstrapToken, MachineAction, MachinePlan};
use millwright_decide::machineset::{self, SetAction, SetMemory, SetView};
use millwright_decide::{Freeze, Member, Places, Requeue, RolloutSettings};

use crate::fixtures::deployment::{set_of, strategy, template};
use crate::fixtures::machine::{born, labelled};
use crate::fixtures::names::Counting;
use crate::fixtures::node::ready;
use crate::fixtures::situation::Situation;
use crate::fixtures::time::{at, time};

/// What the agent of a node makes of its update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agent {
    Succeeds,
    Fails,
    Sleeps,
}

pub(super) struct World {
    pub(super) deployment: MachineDeployment,
    pub(super) sets: Vec<MachineSet>,
    pub(super) bodies: Vec<Situation>,
    pub(super) now: i64,
    pub(super) agents: BTreeMap<String, Agent>,
    /// Names of machines that were made or deleted since the beginning.
    pub(super) made: BTreeSet<String>,
    pub(super) deleted: BTreeSet<String>,
    /// Actions of the deployment so far, and after how many its controller dies.
    pub(super) actions: usize,
    pub(super) dies_after: Option<usize>,
    /// Whether machines fail by themselves, so that availability says nothing about us.
    pub(super) is_rough: bool,
    memory: DeploymentMemory,
    settings: RolloutSettings,
    names: Counting,
}

/// A deployment that is updated in place.
pub(super) fn in_place(
    replicas: i32,
    orchestration: &str,
    surge: i32,
    unavailable: i32,
) -> MachineDeployment {
    let mut deployment = strategy(crate::fixtures::deployment::deployment(replicas), "InPlaceUpdate");
    deployment.spec.strategy.in_place_update = Some(InPlaceUpdate {
        max_surge: Some(IntOrPercent::Int(surge)),
        max_unavailable: Some(IntOrPercent::Int(unavailable)),
        orchestration_type: orchestration.into(),
    });
    deployment
}

impl World {
    /// All machines are of class `small`, and nothing is to be done.
    pub(super) fn settled(deployment: MachineDeployment) -> Self {
        let replicas = deployment.spec.replicas;
        let mut set = hashed(set_of(&deployment, "small", 1, replicas, replicas), "small");
        let surge = Fences::of(&deployment).surge;
        let record = set.metadata.annotations.get_or_insert_default();
        record.insert(annotations::MAX_REPLICAS.into(), (replicas + surge).to_string());
        let mut world = Self {
            deployment,
            sets: Vec::new(),
            bodies: Vec::new(),
            now: 1000,
            agents: BTreeMap::new(),
            made: BTreeSet::new(),
            deleted: BTreeSet::new(),
            actions: 0,
            dies_after: None,
            is_rough: false,
            memory: DeploymentMemory::default(),
            settings: RolloutSettings::default(),
            names: Counting::default(),
        };
        for number in 0..replicas {
            let mut machine = member_of(&set, &format!("m{number}"));
            machine.metadata.creation_timestamp = time(i64::from(number));
            let mut body = Situation::with_node(machine, ready(&format!("m{number}")));
            body.memory.bootstrap_token = BootstrapToken::NotNeeded;
            world.bodies.push(body);
        }
        world.sets.push(set);
        world.until_rest();
        world.actions = 0;
        world
    }

    /// The user wants machines of another class; an agent knows what that means.
    pub(super) fn want(&mut self, class: &str) {
        self.deployment.spec.template = template(class);
        self.generation();
    }

    pub(super) fn scale(&mut self, replicas: i32) {
        self.deployment.spec.replicas = replicas;
        self.generation();
    }

    pub(super) fn pause(&mut self, paused: bool) {
        self.deployment.spec.paused = paused;
        self.generation();
    }

    fn generation(&mut self) {
        *self.deployment.metadata.generation.get_or_insert(1) += 1;
    }

    pub(super) fn rounds(&mut self, count: usize) {
        for _ in 0..count {
            self.round();
        }
    }

    /// Passes time until nobody has anything to do, and says how long that took.
    pub(super) fn until_rest(&mut self) -> usize {
        for count in 0..3000 {
            if !self.round() {
                return count;
            }
        }
        panic!("it never comes to rest: {}", self.picture());
    }

    /// Whether anybody did anything.
    pub(super) fn round(&mut self) -> bool {
        self.now += 1;
        let mut busy = self.nature();
        busy |= self.deployment_controller();
        busy |= self.set_controllers();
        busy |= self.machine_controller();
        busy
    }

    /// VMs boot and go, agents do their work, critical components start.
    fn nature(&mut self) -> bool {
        let before = self.bodies.len();
        self.bodies.retain(|body| !body.machine.is_deleting());
        let mut busy = before != self.bodies.len();
        for body in &mut self.bodies {
            let name = body.machine.name().to_owned();
            let Some(node) = &mut body.node else {
                body.node = Some(ready(&name));
                busy = true;
                continue;
            };
            if reason(node) == "ReadyForUpdate" && node.label(labels::UPDATE_RESULT).is_none() {
                let value = match self.agents.get(&name).unwrap_or(&Agent::Succeeds) {
                    Agent::Succeeds => "successful",
                    Agent::Fails => "failed",
                    Agent::Sleeps => continue,
                };
                let labels = node.metadata.labels.get_or_insert_default();
                labels.insert(labels::UPDATE_RESULT.into(), value.into());
                busy = true;
            }
            let length = node.spec.taints.len();
            node.spec.taints.retain(|taint| taint.key != taints::CRITICAL_COMPONENTS_NOT_READY);
            busy |= length != node.spec.taints.len();
        }
        busy
    }

    pub(super) fn plan(&self) -> DeploymentPlan {
        let sets = self.sets.iter().map(|set| {
            let members =
                self.bodies_of(set).map(|body| Member { machine: &body.machine, node: body.node.as_ref() });
            SetFacts::counted(set, members.collect(), &self.settings, at(self.now))
        });
        let view = DeploymentView {
            deployment: &self.deployment,
            sets: sets.collect(),
            class: None,
            settings: &self.settings,
            memory: &self.memory,
            places: Places::Unbounded,
            freeze: Freeze::Thawed,
        };
        deployment::plan(&view, at(self.now))
    }

    fn bodies_of<'a>(&'a self, set: &'a MachineSet) -> impl Iterator<Item = &'a Situation> {
        self.bodies.iter().filter(|body| owner(&body.machine) == set.uid())
    }

    fn deployment_controller(&mut self) -> bool {
        let plan = self.plan();
        let (crowd, single): (Vec<_>, Vec<_>) = plan.actions.into_iter().partition(|action| {
            matches!(
                action,
                DeploymentAction::PatchMachine(_)
                    | DeploymentAction::MoveMachine(_)
                    | DeploymentAction::PatchNode { .. }
            )
        });
        let mut busy = false;
        for action in crowd.into_iter().chain(single) {
            busy = true;
            if self.dies_after == Some(self.actions) {
                self.dies_after = None;
                self.memory = DeploymentMemory::default();
                return true;
            }
            self.actions += 1;
            let before = (self.living(), self.serving());
            let what = format!("{action:?}");
            self.carry_out(action);
            self.check(before, &what);
        }
        busy
    }

    /// Nothing that we do takes a machine away that is needed, or makes one too many.
    fn check(&self, before: (i32, i32), what: &str) {
        let fences = Fences::of(&self.deployment);
        let (living, serving) = (self.living(), self.serving());
        assert!(
            living <= before.0 || living <= fences.most(),
            "{living} machines after {what}: {}",
            self.picture()
        );
        assert!(
            self.is_rough || serving >= before.1 || serving >= fences.fewest(),
            "{serving} machines serve after {what}: {}",
            self.picture()
        );
    }

    /// Machines that nobody asked to go.
    pub(super) fn living(&self) -> i32 {
        let living = self.bodies.iter().filter(|body| !body.machine.is_deleting());
        i32::try_from(living.count()).unwrap()
    }

    /// Machines that do their work and are not about to be drained.
    pub(super) fn serving(&self) -> i32 {
        let serving = self.bodies.iter().filter(|body| {
            let node = body.node.as_ref();
            !body.machine.is_deleting()
                && body.machine.status.current_status.phase == MachinePhase::Running
                && node.is_some_and(|node| {
                    !node.spec.unschedulable && node.label(labels::SELECTED_FOR_UPDATE).is_none()
                })
        });
        i32::try_from(serving.count()).unwrap()
    }

    pub(super) fn body(&mut self, name: &str) -> &mut Situation {
        self.bodies.iter_mut().find(|body| body.machine.name() == name).unwrap()
    }

    pub(super) fn node(&self, name: &str) -> &NodeView {
        self.bodies.iter().find(|body| body.machine.name() == name).unwrap().node.as_ref().unwrap()
    }

    fn set_controllers(&mut self) -> bool {
        let mut busy = false;
        for number in 0..self.sets.len() {
            let mut names = std::mem::take(&mut self.names);
            let set = &self.sets[number];
            let memory = SetMemory::default();
            let nodes =
                self.bodies.iter().filter_map(|body| Some((body.machine.name(), body.node.as_ref()?)));
            let view = SetView {
                set,
                deployment: Some(&self.deployment),
                settings: &self.settings,
                failed_nodes: nodes
                    .filter(|(name, _)| {
                        self.bodies.iter().any(|body| {
                            body.machine.name() == *name
                                && body.machine.status.current_status.phase == MachinePhase::Failed
                        })
                    })
                    .collect::<HashMap<_, _>>(),
                machines: self.bodies_of(set).map(|body| &body.machine).collect(),
                memory: &memory,
                freeze: Freeze::Thawed,
            };
            let plan = machineset::plan(&view, &mut names, at(self.now));
            self.names = names;
            let before = (self.living(), self.serving());
            let what = format!("{:?}", plan.actions.iter().map(SetAction::name).collect::<Vec<_>>());
            for action in plan.actions {
                busy = true;
                self.carry_out_for_set(number, action);
            }
            self.check(before, &what);
        }
        busy
    }

    fn carry_out_for_set(&mut self, number: usize, action: SetAction) {
        let set = &mut self.sets[number];
        match action {
            SetAction::CreateMachine(machine) => {
                let name = machine.name().to_owned();
                let mut made = member_of(set, &name);
                made.status.current_status.phase = MachinePhase::Pending;
                made.metadata.creation_timestamp = time(self.now);
                made.spec.class.clone_from(&machine.spec.class);
                self.made.insert(name);
                let mut body = Situation::of(made);
                body.memory.bootstrap_token = BootstrapToken::NotNeeded;
                self.bodies.push(body);
            }
            SetAction::DeleteMachine { name, .. } => {
                let now = self.now;
                self.body(&name).machine.metadata.deletion_timestamp = time(now);
                self.deleted.insert(name);
            }
            SetAction::PatchStatus(status) | SetAction::Freeze(status) | SetAction::Unfreeze(status) => {
                set.status = *status;
            }
            SetAction::MarkSet(marks) => {
                let own = |map: BTreeMap<&str, Option<&str>>| {
                    map.into_iter().map(|(key, value)| (key.to_owned(), value.map(str::to_owned))).collect()
                };
                change(set.metadata.labels.get_or_insert_default(), own(marks.labels));
                change(set.metadata.annotations.get_or_insert_default(), own(marks.annotations));
            }
            other => panic!("nobody gave a reason for {other:?}"),
        }
    }

    fn machine_controller(&mut self) -> bool {
        let mut busy = false;
        for body in &mut self.bodies {
            if body.machine.is_deleting() || body.node.is_none() {
                continue;
            }
            let plan = body.plan(self.now);
            // What waits for a time-out is no rest.
            busy |= !plan.actions.is_empty() || plan.requeue != Requeue::OnChange;
            if plan.actions.iter().any(|action| matches!(action, MachineAction::ListPods { .. })) {
                body.memory.drain.listed(PodListing { at: at(self.now), pods: Vec::new() });
            }
            body.obey(&plan);
        }
        busy
    }
}

/// The set whose machines are told from others' by the label of its template.
fn hashed(mut set: MachineSet, hash: &str) -> MachineSet {
    let selector = set.spec.selector.get_or_insert_default();
    let match_labels = selector.match_labels.get_or_insert_default();
    match_labels.insert(labels::TEMPLATE_HASH.into(), hash.into());
    let own = [
        set.metadata.labels.get_or_insert_default(),
        set.spec.template.metadata.labels.get_or_insert_default(),
    ];
    for labels in own {
        labels.insert(labels::TEMPLATE_HASH.into(), hash.into());
    }
    set
}

fn member_of(set: &MachineSet, name: &str) -> Machine {
    let mut machine = born(name, MachinePhase::Running);
    for (key, value) in set.spec.template.metadata.labels.clone().unwrap_or_default() {
        machine = labelled(machine, &key, &value);
    }
    machine.metadata.owner_references = Some(vec![controller_reference(set)]);
    machine
}

pub(super) fn owner(machine: &Machine) -> &str {
    controller_of(&machine.metadata).map_or("", |owner| owner.uid.as_str())
}

pub(super) fn reason(node: &NodeView) -> &str {
    let conditions = &node.status.conditions;
    conditions.iter().find(|condition| condition.type_ == "InPlaceUpdate").map_or("", |found| &found.reason)
}
