//! Who names a class: machines in their specs, sets and deployments in their templates.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use millwright_api::{Machine, MachineDeployment, MachineSet};

use super::Index;

/// Names of objects of one kind by the class that they name.
#[derive(Default)]
pub(super) struct NamesByClass(HashMap<String, BTreeSet<String>>);

impl NamesByClass {
    /// Names of the objects that name the class, in order.
    pub(super) fn of(&self, class: &str) -> impl Iterator<Item = &String> {
        self.0.get(class).into_iter().flatten()
    }

    /// An object changed: class and name, before and after.
    pub(super) fn change(&mut self, before: Option<(&str, &str)>, after: Option<(&str, &str)>) {
        if before == after {
            return;
        }
        if let Some((class, name)) = before
            && let Some(names) = self.0.get_mut(class)
        {
            names.remove(name);
            if names.is_empty() {
                self.0.remove(class);
            }
        }
        if let Some((class, name)) = after {
            self.0.entry(class.to_owned()).or_default().insert(name.to_owned());
        }
    }
}

impl Index {
    /// Deployments whose template names the class, by name.
    pub fn deployments_naming_class(&self, class: &str) -> impl Iterator<Item = &Arc<MachineDeployment>> {
        self.deployments_by_class.of(class).filter_map(|name| self.deployments.get(name))
    }

    /// Sets whose template names the class, by name.
    pub fn sets_naming_class(&self, class: &str) -> impl Iterator<Item = &Arc<MachineSet>> {
        self.set_lookups.of_class(class).filter_map(|name| self.sets.get(name))
    }

    /// Machines that name the class, by name.
    pub fn machines_naming_class(&self, class: &str) -> impl Iterator<Item = &Arc<Machine>> {
        self.machine_lookups.of_class(class).filter_map(|name| self.machines.get(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::WatchEvent;
    use millwright_api::ObjectView as _;

    fn deployment(name: &str, version: &str, class: &str) -> MachineDeployment {
        let mut deployment = MachineDeployment::default();
        deployment.metadata.name = Some(name.into());
        deployment.metadata.uid = Some(format!("uid-{name}"));
        deployment.metadata.resource_version = Some(version.into());
        deployment.spec.template.spec.class.name = class.into();
        deployment
    }

    fn named(index: &Index, class: &str) -> Vec<String> {
        index.deployments_naming_class(class).map(|deployment| deployment.name().to_owned()).collect()
    }

    #[test]
    fn a_deployment_is_found_by_the_class_it_names_now_and_by_no_other() {
        let mut index = Index::default();
        index.apply_deployment(deployment("b", "1", "small"));
        index.apply_deployment(deployment("a", "2", "small"));
        assert_eq!(named(&index, "small"), ["a", "b"]);
        index.apply_deployment(deployment("b", "3", "large"));
        assert_eq!((named(&index, "small"), named(&index, "large")), (vec!["a".into()], vec!["b".into()]));
        index.deployment_event(WatchEvent::Delete(deployment("a", "4", "small")));
        assert!(named(&index, "small").is_empty());
    }

    #[test]
    fn a_set_is_found_by_the_class_of_its_template() {
        let mut index = Index::default();
        let mut set = MachineSet::default();
        set.metadata.name = Some("s".into());
        set.metadata.uid = Some("uid".into());
        set.metadata.resource_version = Some("1".into());
        set.spec.template.spec.class.name = "small".into();
        index.apply_set(set.clone());
        assert_eq!(index.sets_naming_class("small").count(), 1);
        index.set_event(WatchEvent::Delete(set));
        assert_eq!(index.sets_naming_class("small").count(), 0);
    }
}
