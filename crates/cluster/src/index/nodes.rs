//! Nodes, and whose they are.

use std::collections::BTreeSet;
use std::sync::Arc;

use millwright_api::keys::labels;
use millwright_api::{Machine, NodeView, ObjectView, controller_of};
use millwright_decide::deployment::looks_the_same;
use millwright_decide::machine::names_another_vm;

use super::{Change, Index, Kind, Wake};
use crate::watch::WatchEvent;

impl Index {
    /// The node of that name.
    #[must_use]
    pub fn node(&self, name: &str) -> Option<&Arc<NodeView>> {
        self.nodes.get(name)
    }

    /// All nodes.
    pub fn nodes(&self) -> impl Iterator<Item = &Arc<NodeView>> {
        self.nodes.iter()
    }

    /// How many machines a node can be the node of: those that name it, that it names, or that are called like it.
    #[must_use]
    pub fn machines_naming(&self, node: &NodeView) -> usize {
        let is_free = |machine: &Machine| {
            machine.label(labels::NODE).is_none_or(|name| name.is_empty() || name == node.name())
        };
        let mut names: BTreeSet<&str> =
            self.machine_lookups.of_node(node.name()).map(String::as_str).collect();
        let namesakes = [node.label(labels::MACHINE_NAME), Some(node.name())].into_iter().flatten();
        names.extend(
            namesakes
                .filter_map(|name| self.machines.get(name))
                .filter(|machine| is_free(machine))
                .map(|m| m.name()),
        );
        names.len()
    }

    /// The node of a machine: by its label `node`, else by the machine's name on the node. A node that another
    /// machine has a better claim to is not this one's, nor is one that names another VM.
    #[must_use]
    pub fn node_of(&self, machine: &Machine) -> Option<&Arc<NodeView>> {
        machine
            .label(labels::NODE)
            .and_then(|name| self.nodes.get(name))
            .or_else(|| self.nodes.get(self.nodes_by_machine.get(machine.name())?.first()?))
            .filter(|node| !names_another_vm(node, machine))
            .filter(|node| self.owner_of_node(node).is_none_or(|owner| owner.uid() == machine.uid()))
    }

    /// Whose a node is when several machines name it, as when an address of a VM that is gone, and with it
    /// the name of its node, goes to a new VM: the machine that the node names, else the one that stays, else the youngest.
    fn owner_of_node(&self, node: &NodeView) -> Option<&Arc<Machine>> {
        let named = node.label(labels::MACHINE_NAME).and_then(|name| self.machines.get(name));
        let claims = |machine: &Machine| {
            machine.label(labels::NODE).is_none_or(|name| name.is_empty() || name == node.name())
                && !names_another_vm(node, machine)
        };
        named.filter(|machine| claims(machine)).or_else(|| {
            self.machine_lookups
                .of_node(node.name())
                .filter_map(|name| self.machines.get(name))
                .filter(|machine| claims(machine))
                .max_by_key(|machine| (!machine.is_deleting(), machine.created_at(), machine.name()))
        })
    }

    /// Takes a node as some API server's answer shows it.
    pub fn apply_node(&mut self, node: NodeView) -> Wake {
        let change = self.nodes.apply(node);
        self.node_changed(change)
    }

    /// Takes an event of the nodes' watch.
    pub fn node_event(&mut self, event: WatchEvent<NodeView>) -> Wake {
        let mut wake = Wake::default();
        for change in self.nodes.event(event, &mut self.synced, Kind::Node) {
            wake.merge(self.node_changed(change));
        }
        wake
    }

    /// Forgets a node that an API server says is gone.
    pub fn forget_node(&mut self, name: &str, uid: &str) -> Wake {
        let change = self.nodes.forget(name, uid);
        self.node_changed(change)
    }

    fn wake_deployment_of_machine(&self, machine: &Machine, wake: &mut Wake) {
        let set = controller_of(&machine.metadata)
            .and_then(|owner| self.sets.get(&owner.name).filter(|set| set.uid() == owner.uid));
        if let Some(deployment) = set.and_then(|set| controller_of(&set.metadata)) {
            wake.deployment(&deployment.name);
        }
    }

    fn node_changed(&mut self, change: Change<NodeView>) -> Wake {
        let mut wake = Wake::default();
        let Some((before, after)) = change.sides() else { return wake };
        for node in before.iter() {
            if let Some(machine) = node.label(labels::MACHINE_NAME)
                && let Some(nodes) = self.nodes_by_machine.get_mut(machine)
            {
                nodes.remove(node.name());
                if nodes.is_empty() {
                    self.nodes_by_machine.remove(machine);
                }
            }
        }
        for node in after.iter() {
            if let Some(machine) = node.label(labels::MACHINE_NAME) {
                self.nodes_by_machine.entry(machine.to_owned()).or_default().insert(node.name().to_owned());
            }
        }
        for node in before.iter().chain(&after) {
            self.machine_lookups.of_node(node.name()).for_each(|machine| wake.machine(machine));
            if let Some(machine) = node.label(labels::MACHINE_NAME) {
                wake.machine(machine);
            }
        }
        let concerned: Vec<_> =
            wake.machines.iter().filter_map(|name| self.machines.get(name)).cloned().collect();
        concerned.iter().for_each(|machine| self.locate(machine));
        // Rollouts read and write marks on nodes; what kubelets report all the time is nothing to them.
        let tells_nothing = matches!((&before, &after), (Some(a), Some(b)) if looks_the_same(a, b));
        if !tells_nothing {
            concerned.iter().for_each(|machine| self.wake_deployment_of_machine(machine, &mut wake));
        }
        wake
    }
}
