//! What happens to machines by themselves: they join, update, and are gone.

use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::keys::{labels, node_conditions, taints};
use millwright_api::{Machine, MachinePhase, NodeCondition, NodeView, ObjectView};

use super::World;
use crate::TargetCluster;

impl World {
    /// The VM of a machine comes up and, where there is a target cluster, its node joins.
    pub fn join(&mut self, name: &str, target: TargetCluster, now: Timestamp) {
        let Some(machine) = self.machine_mut(name, None) else { return };
        if machine.spec.provider_id.is_empty() {
            machine.spec.provider_id = format!("preview:///{name}");
        }
        if target == TargetCluster::Absent {
            enter(machine, MachinePhase::Available, now);
            return;
        }
        enter(machine, MachinePhase::Running, now);
        let labels = machine.metadata.labels.get_or_insert_default();
        let node = labels.entry(labels::NODE.to_owned()).or_insert_with(|| name.to_owned()).clone();
        self.nodes.entry(node.clone()).or_insert_with(|| Arc::new(bare_node(&node)));
    }

    /// The machine gets a phase, as its controller would say it.
    pub fn enter(&mut self, name: &str, phase: MachinePhase, now: Timestamp) {
        if let Some(machine) = self.machine_mut(name, None) {
            enter(machine, phase, now);
        }
    }

    /// VM, node and machine are gone.
    pub fn vanish(&mut self, name: &str) {
        if let Some(machine) = self.machines.remove(name)
            && let Some(node) = machine.label(labels::NODE)
        {
            self.nodes.remove(node);
        }
    }

    /// Whether the machine's node is chosen for an update in place that has no result yet.
    #[must_use]
    pub fn is_to_update(&self, machine: &Machine) -> bool {
        self.node_of(machine).is_some_and(|node| {
            node.label(labels::SELECTED_FOR_UPDATE).is_some() && node.label(labels::UPDATE_RESULT).is_none()
        })
    }

    /// The machine's node is updated in place, and its agent says so.
    pub fn finish_update(&mut self, name: &str, now: Timestamp) {
        let Some(machine) = self.machines.get_mut(name).map(Arc::make_mut) else { return };
        enter(machine, MachinePhase::Running, now);
        let condition = NodeCondition {
            type_: node_conditions::IN_PLACE_UPDATE.to_owned(),
            status: "True".to_owned(),
            reason: "UpdateSuccessful".to_owned(),
            last_transition_time: Some(Time(now)),
            ..NodeCondition::default()
        };
        replace(&mut machine.status.conditions, condition.clone());
        let Some(node) = machine.label(labels::NODE).and_then(|node| self.nodes.get_mut(node)) else {
            return;
        };
        let node = Arc::make_mut(node);
        replace(&mut node.status.conditions, condition);
        let labels = node.metadata.labels.get_or_insert_default();
        labels.insert(labels::UPDATE_RESULT.to_owned(), "successful".to_owned());
    }

    /// Everything that goes on comes to its end: machines run, updates work, what is deleted is gone. Answers whether
    /// anything did.
    pub fn pass(&mut self, target: TargetCluster, now: Timestamp) -> bool {
        for node in self.nodes.values_mut() {
            if node.spec.taints.iter().any(|taint| taint.key == taints::CRITICAL_COMPONENTS_NOT_READY) {
                let taints = &mut Arc::make_mut(node).spec.taints;
                taints.retain(|taint| taint.key != taints::CRITICAL_COMPONENTS_NOT_READY);
            }
        }
        let due: Vec<(String, Event)> = self
            .machines
            .values()
            .filter_map(|machine| Some((machine.name().to_owned(), self.due(machine)?)))
            .collect();
        for (name, event) in &due {
            match event {
                Event::Gone => self.vanish(name),
                Event::Joins => self.join(name, target, now),
                Event::Updates => self.enter(name, MachinePhase::InPlaceUpdating, now),
                Event::IsUpdated => self.finish_update(name, now),
            }
        }
        !due.is_empty()
    }

    fn due(&self, machine: &Machine) -> Option<Event> {
        match machine.status.current_status.phase {
            _ if machine.is_deleting() => Some(Event::Gone),
            MachinePhase::Empty | MachinePhase::Pending | MachinePhase::InPlaceUpdateSuccessful => {
                Some(Event::Joins)
            }
            MachinePhase::InPlaceUpdating => Some(Event::IsUpdated),
            MachinePhase::Running if self.is_to_update(machine) => Some(Event::Updates),
            _ => None,
        }
    }
}

/// A node that says nothing but its name.
pub(in crate::preview) fn bare_node(name: &str) -> NodeView {
    let mut node = NodeView::default();
    node.metadata.name = Some(name.to_owned());
    node
}

enum Event {
    Gone,
    Joins,
    Updates,
    IsUpdated,
}

fn enter(machine: &mut Machine, phase: MachinePhase, now: Timestamp) {
    phase.as_str().clone_into(&mut machine.status.phase);
    machine.status.current_status.phase = phase;
    machine.status.current_status.last_update_time = Some(Time(now));
}

fn replace(conditions: &mut Vec<NodeCondition>, condition: NodeCondition) {
    conditions.retain(|found| found.type_ != condition.type_);
    conditions.push(condition);
}
