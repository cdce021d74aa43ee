//! A deployment with everything that belongs to it, in memory: decisions are made on it, and carried out in it.
//!
//! It stands in for an API server and a cloud. Who uses it says when machines boot and go.

mod deployment_actions;
mod life;
mod object_changes;
mod set_actions;

pub(super) use life::bare_node;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use millwright_api::keys::labels;
use millwright_api::{
    Machine, MachineClass, MachineDeployment, MachinePhase, MachineSet, NodeView, ObjectView, controller_of,
};

use crate::deployment::{self, DeploymentMemory, DeploymentPlan, DeploymentView, SetFacts};
use crate::fleet_bound::InWork;
use crate::machineset::{self, SetMemory, SetPlan, SetView};
use crate::{Freeze, Member, NameSource, Places, RolloutSettings};

/// The objects of one deployment, and what its controllers remember.
///
/// Objects are shared until they change, so that a copy of a world is cheap.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// The deployment.
    pub deployment: Arc<MachineDeployment>,
    /// The class that its template names, if it is known.
    pub class: Option<Arc<MachineClass>>,
    /// Sets that are or may become its own.
    pub sets: Vec<Arc<MachineSet>>,
    /// Machines of those sets, and machines without one, by name.
    pub machines: BTreeMap<String, Arc<Machine>>,
    /// Nodes by name.
    pub nodes: BTreeMap<String, Arc<NodeView>>,
    /// What is remembered of the deployment.
    pub memory: DeploymentMemory,
    /// What is remembered of sets, by their UID.
    pub set_memories: BTreeMap<String, SetMemory>,
    /// What the deployment's fleet leaves to its rollout.
    pub places: Places,
}

/// Something that plans.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Planner {
    /// The deployment.
    Deployment,
    /// The set of that UID.
    Set(String),
}

/// What came of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is done, or there was nothing left to do it to.
    Done,
    /// An API server would have refused it.
    Refused,
}

impl World {
    /// Everybody who plans.
    #[must_use]
    pub fn planners(&self) -> Vec<Planner> {
        let sets = self.sets.iter().map(|set| Planner::Set(set.uid().to_owned()));
        std::iter::once(Planner::Deployment).chain(sets).collect()
    }

    /// The set of a UID.
    #[must_use]
    pub fn set(&self, uid: &str) -> Option<&MachineSet> {
        self.sets.iter().find(|set| set.uid() == uid).map(|set| &**set)
    }

    /// Machines whose controller is the set of that UID, by name.
    pub fn machines_of<'a>(&'a self, uid: &'a str) -> impl Iterator<Item = &'a Machine> {
        self.machines
            .values()
            .map(|machine| &**machine)
            .filter(move |machine| controller_of(&machine.metadata).is_some_and(|owner| owner.uid == uid))
    }

    /// The node of a machine.
    #[must_use]
    pub fn node_of(&self, machine: &Machine) -> Option<&NodeView> {
        self.nodes.get(machine.label(labels::NODE)?).map(|node| &**node)
    }

    /// What the deployment would do now.
    #[must_use]
    pub fn plan_deployment(&self, settings: &RolloutSettings, now: Timestamp) -> DeploymentPlan {
        deployment::plan(&self.deployment_view(settings, now), now)
    }

    /// Why the deployment's rollout waits now although its user wants it.
    #[must_use]
    pub fn hold(&self, settings: &RolloutSettings, now: Timestamp) -> Option<String> {
        deployment::hold_message(&self.deployment_view(settings, now), now)
    }

    /// Machines of the deployment that are down or being replaced.
    #[must_use]
    pub fn in_work(&self, settings: &RolloutSettings, now: Timestamp) -> InWork {
        InWork::of(&self.deployment, &self.deployment_view(settings, now).sets)
    }

    fn deployment_view<'a>(&'a self, settings: &'a RolloutSettings, now: Timestamp) -> DeploymentView<'a> {
        let mut members: HashMap<&str, Vec<Member<'_>>> = HashMap::new();
        for machine in self.machines.values() {
            if let Some(owner) = controller_of(&machine.metadata) {
                let member = Member { machine, node: self.node_of(machine) };
                members.entry(&owner.uid).or_default().push(member);
            }
        }
        let mut counted = |set: &'a Arc<MachineSet>| {
            SetFacts::counted(set, members.remove(set.uid()).unwrap_or_default(), settings, now)
        };
        DeploymentView {
            deployment: &self.deployment,
            sets: self.sets.iter().map(&mut counted).collect(),
            class: self.class.as_deref(),
            settings,
            memory: &self.memory,
            places: self.places.clone(),
            freeze: Freeze::Thawed,
        }
    }

    /// What a set would do now; nothing when it is gone.
    pub fn plan_set(
        &self,
        uid: &str,
        settings: &RolloutSettings,
        names: &mut dyn NameSource,
        now: Timestamp,
    ) -> SetPlan {
        let Some(set) = self.set(uid) else { return SetPlan::default() };
        let fresh = SetMemory::default();
        let machines: Vec<&Machine> = self
            .machines
            .values()
            .filter(|machine| controller_of(&machine.metadata).is_none_or(|owner| owner.uid == uid))
            .map(|machine| &**machine)
            .collect();
        let failed = machines.iter().filter(|m| m.status.current_status.phase == MachinePhase::Failed);
        let owner = controller_of(&set.metadata);
        let view = SetView {
            set,
            deployment: owner.filter(|owner| owner.uid == self.deployment.uid()).map(|_| &*self.deployment),
            settings,
            failed_nodes: failed.filter_map(|m| Some((m.name(), self.node_of(m)?))).collect(),
            machines,
            memory: self.set_memories.get(uid).unwrap_or(&fresh),
            freeze: Freeze::Thawed,
        };
        machineset::plan(&view, names, now)
    }
}
