//! Look-ups over machines: by owning set, node, class and group.

use std::collections::{BTreeSet, HashMap};

use millwright_api::keys::labels;
use millwright_api::{Machine, ObjectView, controller_of};
use millwright_decide::machine::in_progress_weight;

#[derive(Default)]
pub(super) struct MachineLookups {
    by_set: HashMap<String, BTreeSet<String>>,
    unowned: BTreeSet<String>,
    by_node: HashMap<String, BTreeSet<String>>,
    by_class: HashMap<String, BTreeSet<String>>,
    in_progress: HashMap<String, usize>,
}

impl MachineLookups {
    pub(super) fn of_set(&self, uid: &str) -> impl Iterator<Item = &String> {
        self.by_set.get(uid).into_iter().flatten()
    }

    pub(super) fn unowned(&self) -> impl Iterator<Item = &String> {
        self.unowned.iter()
    }

    pub(super) fn of_node(&self, node: &str) -> impl Iterator<Item = &String> {
        self.by_node.get(node).into_iter().flatten()
    }

    pub(super) fn of_class(&self, class: &str) -> impl Iterator<Item = &String> {
        self.by_class.get(class).into_iter().flatten()
    }

    /// Names of the classes that machines name.
    pub(super) fn classes(&self) -> impl Iterator<Item = &String> {
        self.by_class.keys()
    }

    pub(super) fn in_progress_beside(&self, machine: &Machine) -> usize {
        let Some(group) = machine.label(labels::DEPLOYMENT_NAME) else { return 0 };
        self.in_progress.get(group).copied().unwrap_or(0).saturating_sub(in_progress_weight(machine))
    }

    pub(super) fn change(&mut self, before: Option<&Machine>, after: Option<&Machine>) {
        if let Some(machine) = before {
            self.unlink(machine);
        }
        if let Some(machine) = after {
            self.link(machine);
        }
    }

    fn link(&mut self, machine: &Machine) {
        let name = || machine.name().to_owned();
        match controller_of(&machine.metadata) {
            Some(owner) => {
                self.by_set.entry(owner.uid.clone()).or_default().insert(name());
            }
            None => {
                self.unowned.insert(name());
            }
        }
        if let Some(node) = machine.label(labels::NODE) {
            self.by_node.entry(node.to_owned()).or_default().insert(name());
        }
        self.by_class.entry(machine.spec.class.name.clone()).or_default().insert(name());
        if let Some(group) = machine.label(labels::DEPLOYMENT_NAME) {
            *self.in_progress.entry(group.to_owned()).or_default() += in_progress_weight(machine);
        }
    }

    fn unlink(&mut self, machine: &Machine) {
        let name = machine.name();
        match controller_of(&machine.metadata) {
            Some(owner) => remove(&mut self.by_set, &owner.uid, name),
            None => {
                self.unowned.remove(name);
            }
        }
        if let Some(node) = machine.label(labels::NODE) {
            remove(&mut self.by_node, node, name);
        }
        remove(&mut self.by_class, &machine.spec.class.name, name);
        if let Some(group) = machine.label(labels::DEPLOYMENT_NAME)
            && let Some(weight) = self.in_progress.get_mut(group)
        {
            *weight = weight.saturating_sub(in_progress_weight(machine));
            if *weight == 0 {
                self.in_progress.remove(group);
            }
        }
    }
}

fn remove(map: &mut HashMap<String, BTreeSet<String>>, key: &str, name: &str) {
    if let Some(names) = map.get_mut(key) {
        names.remove(name);
        if names.is_empty() {
            map.remove(key);
        }
    }
}
