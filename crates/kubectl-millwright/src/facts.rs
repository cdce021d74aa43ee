//! The files as facts. What is not among them is not known, and refuses nothing: it may be in the cluster or in another repository.

use std::sync::Arc;

use millwright_admission::{ClassUser, Facts, Known, SecretFact};
use millwright_api::MachineClass;

use crate::fleet::Fleet;

/// They are only compared with a name that is not there; thousands of those with thousands of these would take minutes.
const MOST_NAMES: usize = 200;

/// What the files say of the namespace of one object.
pub(crate) struct FileFacts<'a>(pub(crate) &'a Fleet);

impl Facts for FileFacts<'_> {
    /// Files that hold any class of a namespace are taken to hold all of them.
    fn classes(&self) -> Known<Vec<String>> {
        if self.0.classes.is_empty() {
            return Known::No;
        }
        Known::Yes(self.0.classes.keys().take(MOST_NAMES).cloned().collect())
    }

    fn class(&self, name: &str) -> Known<Option<Arc<MachineClass>>> {
        match self.0.classes.get(name) {
            Some(Some(class)) => Known::Yes(Some(Arc::clone(class))),
            Some(None) => Known::No,
            None if self.0.classes.is_empty() => Known::No,
            None => Known::Yes(None),
        }
    }

    fn class_users(&self, class: &str) -> Known<Vec<ClassUser>> {
        self.0.users.get(class).cloned().map_or(Known::No, Known::Yes)
    }

    fn secret(&self, name: &str) -> Known<Option<SecretFact>> {
        self.0.secrets.get(name).cloned().map_or(Known::No, |secret| Known::Yes(Some(secret)))
    }
}
