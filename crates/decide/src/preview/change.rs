//! What a preview is asked about.

use std::sync::Arc;

use jiff::Timestamp;
use millwright_api::keys::{finalizers, labels};
use millwright_api::{Machine, MachineClass, MachineDeployment, MachineSet, NodeView, ObjectView};

use super::World;
use super::world::bare_node;
use crate::{RolloutSettings, TargetCluster};

/// A change of a deployment, and the world that it would happen in.
#[derive(Clone, Debug)]
pub struct Change<'a> {
    /// The deployment as it is; none when it is to be created.
    pub before: Option<&'a MachineDeployment>,
    /// The deployment as it shall be.
    pub after: &'a MachineDeployment,
    /// The class that it names then, if it is known.
    pub class: Option<Arc<MachineClass>>,
    /// Its sets, and sets that nobody owns.
    pub sets: Vec<Arc<MachineSet>>,
    /// The machines of those, and machines that nobody owns.
    pub machines: Vec<Arc<Machine>>,
    /// Their nodes; none where they are not known, and then each machine that has one gets one that says nothing.
    pub nodes: Vec<Arc<NodeView>>,
    /// The flags of the controller.
    pub settings: &'a RolloutSettings,
    /// When it would begin.
    pub now: Timestamp,
}

impl Change<'_> {
    /// The world in which the change has just been asked for.
    pub(super) fn world(&self) -> World {
        let mut deployment = self.after.clone();
        if deployment.metadata.uid.is_none() {
            let uid = self.before.map_or("preview", |before| before.uid());
            deployment.metadata.uid = Some(uid.to_owned());
        }
        if !deployment.is_deleting() && !deployment.has_finalizer(finalizers::MACHINE) {
            deployment.metadata.finalizers = Some(deployment.finalizers_with(finalizers::MACHINE));
        }
        let mut world = World {
            deployment: Arc::new(deployment),
            class: self.class.clone(),
            sets: self.sets.clone(),
            machines: self.machines.iter().map(|it| (it.name().to_owned(), it.clone())).collect(),
            nodes: self.nodes.iter().map(|it| (it.name().to_owned(), it.clone())).collect(),
            ..World::default()
        };
        if world.nodes.is_empty() && self.settings.target == TargetCluster::Present {
            let names = self.machines.iter().filter_map(|machine| machine.label(labels::NODE));
            world.nodes = names.map(|name| (name.to_owned(), Arc::new(bare_node(name)))).collect();
        }
        world
    }
}
