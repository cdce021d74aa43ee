//! Carries out what a set decided.

use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::{Machine, ObjectView, controller_reference};

use super::object_changes::merge;
use super::{Outcome, World};
use crate::machineset::{SetAction, TemplatePatch};

impl World {
    /// Carries out one action of the set with that UID.
    pub fn do_for_set(&mut self, uid: &str, action: &SetAction, now: Timestamp) -> Outcome {
        let Some(at) = self.sets.iter().position(|set| set.uid() == uid) else { return Outcome::Done };
        match action {
            SetAction::SetFinalizers(list) => {
                Arc::make_mut(&mut self.sets[at]).metadata.finalizers = Some(list.clone());
                self.collect_sets();
            }
            SetAction::AdoptMachine { name } => {
                let owner = controller_reference(&*self.sets[at]);
                if let Some(machine) = self.machine_mut(name, None) {
                    machine.metadata.owner_references.get_or_insert_default().push(owner);
                }
            }
            SetAction::ReleaseMachine { name } => {
                let machine = self.machine_mut(name, None);
                if let Some(owners) = machine.and_then(|machine| machine.metadata.owner_references.as_mut()) {
                    owners.retain(|owner| owner.uid != uid);
                }
            }
            SetAction::CreateMachine(machine) => return self.create_machine(machine, now),
            SetAction::DeleteMachine { name, uid } => {
                if let Some(machine) = self.machine_mut(name, Some(uid)) {
                    machine.metadata.deletion_timestamp.get_or_insert(Time(now));
                }
            }
            SetAction::UpdateMachine(patch) => {
                let TemplatePatch { name, node_template, configuration, class } = &**patch;
                if let Some(machine) = self.machine_mut(name, None) {
                    machine.spec.node_template = node_template.clone();
                    machine.spec.configuration = configuration.clone();
                    machine.spec.class = class.clone();
                }
            }
            SetAction::AnnotateMachine { name, key, value } => {
                if let Some(machine) = self.machine_mut(name, None) {
                    let annotations = machine.metadata.annotations.get_or_insert_default();
                    match value {
                        Some(value) => drop(annotations.insert((*key).to_owned(), (*value).to_owned())),
                        None => drop(annotations.remove(*key)),
                    }
                }
            }
            SetAction::MarkSet(marks) => {
                let meta = &mut Arc::make_mut(&mut self.sets[at]).metadata;
                merge(&mut meta.labels, &marks.labels);
                merge(&mut meta.annotations, &marks.annotations);
            }
            SetAction::Freeze(status) | SetAction::Unfreeze(status) | SetAction::PatchStatus(status) => {
                Arc::make_mut(&mut self.sets[at]).status = (**status).clone();
                self.set_memories.entry(uid.to_owned()).or_default().status_written_at = Some(now);
            }
        }
        Outcome::Done
    }

    fn create_machine(&mut self, machine: &Machine, now: Timestamp) -> Outcome {
        if self.machines.contains_key(machine.name()) {
            return Outcome::Refused;
        }
        let mut made = machine.clone();
        made.metadata.uid = Some(format!("uid-{}", machine.name()));
        made.metadata.creation_timestamp = Some(Time(now));
        made.metadata.generation = Some(1);
        self.machines.insert(made.name().to_owned(), Arc::new(made));
        Outcome::Done
    }

    /// What is to be deleted and has no finalizer left is gone.
    pub(super) fn collect_sets(&mut self) {
        self.sets.retain(|set| {
            let is_held = set.metadata.finalizers.as_ref().is_some_and(|list| !list.is_empty());
            !set.is_deleting() || is_held
        });
        let sets = &self.sets;
        self.set_memories.retain(|uid, _| sets.iter().any(|set| set.uid() == uid));
    }
}
