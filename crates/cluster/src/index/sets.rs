//! Look-ups over machine sets: by owning deployment, by class.

use std::collections::{BTreeSet, HashMap};

use millwright_api::{MachineSet, ObjectView, controller_of};

use super::class_users::NamesByClass;

#[derive(Default)]
pub(super) struct SetLookups {
    by_deployment: HashMap<String, BTreeSet<String>>,
    unowned: BTreeSet<String>,
    by_class: NamesByClass,
}

impl SetLookups {
    pub(super) fn of_class(&self, class: &str) -> impl Iterator<Item = &String> {
        self.by_class.of(class)
    }

    pub(super) fn for_deployment(&self, uid: &str) -> impl Iterator<Item = &String> {
        self.by_deployment.get(uid).into_iter().flatten().chain(&self.unowned)
    }

    pub(super) fn change(&mut self, before: Option<&MachineSet>, after: Option<&MachineSet>) {
        self.by_class.change(
            before.map(|set| (set.spec.template.spec.class.name.as_str(), set.name())),
            after.map(|set| (set.spec.template.spec.class.name.as_str(), set.name())),
        );
        if let Some(set) = before {
            match controller_of(&set.metadata) {
                Some(owner) => {
                    if let Some(names) = self.by_deployment.get_mut(&owner.uid) {
                        names.remove(set.name());
                        if names.is_empty() {
                            self.by_deployment.remove(&owner.uid);
                        }
                    }
                }
                None => {
                    self.unowned.remove(set.name());
                }
            }
        }
        if let Some(set) = after {
            match controller_of(&set.metadata) {
                Some(owner) => {
                    self.by_deployment.entry(owner.uid.clone()).or_default().insert(set.name().to_owned())
                }
                None => self.unowned.insert(set.name().to_owned()),
            };
        }
    }
}
