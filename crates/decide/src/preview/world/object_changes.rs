//! Changes of metadata as a merge patch makes them, and where objects are found.

use std::collections::BTreeMap;
use std::sync::Arc;

use millwright_api::{Machine, MachineSet, ObjectView};

use super::World;

impl World {
    /// The set of a name, to be changed.
    pub(super) fn set_named(&mut self, name: &str) -> Option<&mut MachineSet> {
        self.sets.iter_mut().find(|set| set.name() == name).map(Arc::make_mut)
    }

    /// The machine of a name and, where one is given, of that UID, to be changed.
    pub(super) fn machine_mut(&mut self, name: &str, uid: Option<&str>) -> Option<&mut Machine> {
        let machine = self.machines.get_mut(name)?;
        uid.is_none_or(|uid| machine.uid() == uid).then(|| Arc::make_mut(machine))
    }
}

/// Sets keys and, where the value is `None`, removes them.
pub(super) fn merge<T: AsRef<str>>(
    map: &mut Option<BTreeMap<String, String>>,
    changes: &BTreeMap<T, Option<T>>,
) {
    for (key, value) in changes {
        let key = key.as_ref();
        match value {
            Some(value) => {
                map.get_or_insert_default().insert(key.to_owned(), value.as_ref().to_owned());
            }
            None => drop(map.as_mut().and_then(|map| map.remove(key))),
        }
    }
}
