//! Look-ups over machines: by owning set, node, class and group.

use std::collections::{BTreeSet, HashMap};

use millwright_api::keys::labels;
use millwright_api::{Machine, ObjectView, controller_of};
use millwright_decide::machine::{GroupTally, MeltdownGroup, MeltdownScope, template_zone};

#[derive(Default)]
pub(super) struct MachineLookups {
    by_set: HashMap<String, BTreeSet<String>>,
    unowned: BTreeSet<String>,
    by_node: HashMap<String, BTreeSet<String>>,
    by_class: HashMap<String, BTreeSet<String>>,
    groups: HashMap<MeltdownGroup, GroupTally>,
    /// Zones of nodes, or of classes where no node is known, by machine, for machines whose own template names none. Kept when the node goes: just then it matters.
    node_zones: HashMap<String, String>,
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

    /// The group of a machine.
    pub(super) fn group_of(&self, machine: &Machine, scope: MeltdownScope) -> Option<MeltdownGroup> {
        MeltdownGroup::of(machine, scope, self.node_zones.get(machine.name()).map(String::as_str))
    }

    /// What the others of a machine's group are doing.
    pub(super) fn tally_beside(&self, machine: &Machine, group: &MeltdownGroup) -> GroupTally {
        let mut tally = self.groups.get(group).copied().unwrap_or_default();
        tally.remove(GroupTally::of(machine));
        tally
    }

    /// Whether anybody is in that group.
    pub(super) fn has_group(&self, group: &MeltdownGroup) -> bool {
        self.groups.contains_key(group)
    }

    /// Whether a zone of the machine was noted.
    pub(super) fn is_located(&self, machine: &Machine) -> bool {
        self.node_zones.contains_key(machine.name())
    }

    /// Takes note of the zone of a machine's node.
    pub(super) fn locate(&mut self, machine: &Machine, zone: &str) {
        let is_known = self.node_zones.get(machine.name()).is_some_and(|known| known == zone);
        if is_known || template_zone(machine).is_some() {
            return;
        }
        self.leave_groups(machine);
        self.node_zones.insert(machine.name().to_owned(), zone.to_owned());
        self.join_groups(machine);
    }

    fn join_groups(&mut self, machine: &Machine) {
        for scope in MeltdownScope::ALL {
            let Some(group) = self.group_of(machine, scope) else { continue };
            self.groups.entry(group).or_default().add(GroupTally::of(machine));
        }
    }

    fn leave_groups(&mut self, machine: &Machine) {
        for scope in MeltdownScope::ALL {
            let Some(group) = self.group_of(machine, scope) else { continue };
            if let Some(tally) = self.groups.get_mut(&group) {
                tally.remove(GroupTally::of(machine));
                if *tally == GroupTally::default() {
                    self.groups.remove(&group);
                }
            }
        }
    }

    pub(super) fn change(&mut self, before: Option<&Machine>, after: Option<&Machine>) {
        if let Some(machine) = before {
            self.unlink(machine);
            if after.is_none_or(|after| after.uid() != machine.uid()) {
                self.node_zones.remove(machine.name());
            }
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
        self.join_groups(machine);
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
        self.leave_groups(machine);
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
