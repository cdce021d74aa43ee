//! Which objects must be looked at again after a change.

use std::collections::BTreeSet;

/// Names by kind, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wake {
    /// Machines.
    pub machines: BTreeSet<String>,
    /// Machine sets.
    pub sets: BTreeSet<String>,
    /// Machine deployments.
    pub deployments: BTreeSet<String>,
    /// Machine classes.
    pub classes: BTreeSet<String>,
    /// Secrets, whose finalizer may have to come or go.
    pub secrets: BTreeSet<String>,
    /// Secrets that somebody else changed: what was read of them is old.
    pub stale_secrets: BTreeSet<String>,
    /// Machines whose class or Secret changed, so that what failed for them may succeed now.
    pub mended: BTreeSet<String>,
    /// Those of them whose class it was.
    pub of_changed_class: BTreeSet<String>,
}

impl Wake {
    pub(super) fn machine(&mut self, name: &str) {
        self.machines.insert(name.to_owned());
    }

    /// A machine that shall not wait any longer after a failure.
    pub(super) fn mended(&mut self, name: &str) {
        self.machine(name);
        self.mended.insert(name.to_owned());
    }

    /// A machine whose class says something else.
    pub(super) fn class_changed(&mut self, name: &str) {
        self.mended(name);
        self.of_changed_class.insert(name.to_owned());
    }

    pub(super) fn set(&mut self, name: &str) {
        self.sets.insert(name.to_owned());
    }

    pub(super) fn deployment(&mut self, name: &str) {
        self.deployments.insert(name.to_owned());
    }

    /// Adds another's names.
    pub fn merge(&mut self, other: Self) {
        self.machines.extend(other.machines);
        self.sets.extend(other.sets);
        self.deployments.extend(other.deployments);
        self.classes.extend(other.classes);
        self.secrets.extend(other.secrets);
        self.stale_secrets.extend(other.stale_secrets);
        self.mended.extend(other.mended);
        self.of_changed_class.extend(other.of_changed_class);
    }
}
