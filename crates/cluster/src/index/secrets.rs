//! Look-ups over the Secrets that classes name.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use k8s_openapi::api::core::v1::SecretReference;
use millwright_api::{ClassRecord, Machine, MachineClass, ObjectView, SecretView};

use super::{Index, Kind, Wake};
use crate::watch::WatchEvent;

#[derive(Default)]
pub(super) struct SecretLookups {
    by_secret: HashMap<String, BTreeSet<String>>,
}

impl SecretLookups {
    /// Names of the classes that name a Secret of their namespace.
    pub(super) fn classes_of(&self, secret: &str) -> impl Iterator<Item = &String> {
        self.by_secret.get(secret).into_iter().flatten()
    }

    pub(super) fn change(&mut self, before: Option<&MachineClass>, after: Option<&MachineClass>) {
        if let Some(class) = before {
            for secret in named_by_class(class) {
                if let Some(classes) = self.by_secret.get_mut(secret) {
                    classes.remove(class.name());
                    if classes.is_empty() {
                        self.by_secret.remove(secret);
                    }
                }
            }
        }
        if let Some(class) = after {
            for secret in named_by_class(class) {
                self.by_secret.entry(secret.to_owned()).or_default().insert(class.name().to_owned());
            }
        }
    }
}

/// The Secrets that a class names in its own namespace; others are not watched.
pub(super) fn named_by_class(class: &MachineClass) -> impl Iterator<Item = &str> {
    let home = class.namespace();
    class.secret_ref.iter().chain(&class.credentials_secret_ref).filter_map(move |found| named(found, home))
}

/// The Secrets that a machine's record of its class names in the machine's namespace.
pub(super) fn named_by_record<'a>(record: &'a ClassRecord, home: &'a str) -> impl Iterator<Item = &'a str> {
    record.secret_ref.iter().chain(&record.credentials_secret_ref).filter_map(move |found| named(found, home))
}

/// A reference without namespace means the one that it stands in.
fn named<'a>(reference: &'a SecretReference, home: &str) -> Option<&'a str> {
    let is_home = reference.namespace.as_deref().is_none_or(|space| space.is_empty() || space == home);
    reference.name.as_deref().filter(|name| is_home && !name.is_empty())
}

impl Index {
    /// The Secret of that name, of the control namespace.
    #[must_use]
    pub fn secret(&self, name: &str) -> Option<&Arc<SecretView>> {
        self.secrets.get(name)
    }

    /// All Secrets of the control namespace.
    pub fn secrets(&self) -> impl Iterator<Item = &Arc<SecretView>> {
        self.secrets.iter()
    }

    /// The classes that name the Secret.
    pub fn classes_of_secret(&self, secret: &str) -> impl Iterator<Item = &Arc<MachineClass>> {
        self.secret_lookups.classes_of(secret).filter_map(|name| self.classes.get(name))
    }

    /// Whether a machine will need the Secret for its deletion although its class is gone.
    #[must_use]
    pub fn is_recorded_secret(&self, secret: &str) -> bool {
        self.machines_by_record(secret).next().is_some()
    }

    /// Machines without a class that keep a record of one which names the Secret. Few, if any: a class is held while a
    /// machine names it.
    fn machines_by_record<'a>(&'a self, secret: &'a str) -> impl Iterator<Item = &'a Arc<Machine>> {
        self.machine_lookups
            .classes()
            .filter(|class| self.classes.get(class).is_none())
            .flat_map(|class| self.machine_lookups.of_class(class))
            .filter_map(|name| self.machines.get(name))
            .filter(move |machine| {
                ClassRecord::on(machine).is_some_and(|record| {
                    named_by_record(&record, machine.namespace()).any(|name| name == secret)
                })
            })
    }

    /// A machine goes: what its record held may be free now.
    pub(super) fn wake_secrets_of_record(&self, machine: &Machine, wake: &mut Wake) {
        if self.classes.get(&machine.spec.class.name).is_none()
            && let Some(record) = ClassRecord::on(machine)
        {
            wake.secrets.extend(named_by_record(&record, machine.namespace()).map(str::to_owned));
        }
    }

    /// Takes a Secret as the answer to our own write shows it, which changed nothing that a machine can see.
    pub fn apply_secret(&mut self, secret: SecretView) -> Wake {
        let mut wake = Wake::default();
        wake.secrets.insert(secret.name().to_owned());
        self.secrets.apply(secret);
        wake
    }

    /// Takes an event of the Secrets' watch.
    pub fn secret_event(&mut self, event: WatchEvent<SecretView>) -> Wake {
        let mut wake = Wake::default();
        for change in self.secrets.event(event, &mut self.synced, Kind::Secret) {
            let Some((before, after)) = change.sides() else { continue };
            let Some(name) = after.as_ref().or(before.as_ref()).map(|secret| secret.name()) else { continue };
            wake.secrets.insert(name.to_owned());
            wake.stale_secrets.insert(name.to_owned());
            for class in self.secret_lookups.classes_of(name) {
                self.machine_lookups.of_class(class).for_each(|machine| wake.mended(machine));
            }
            self.machines_by_record(name).for_each(|machine| wake.mended(machine.name()));
        }
        wake
    }
}
