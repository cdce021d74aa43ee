//! Look-ups over the Secrets that classes name.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::SecretReference;
use millwright_api::keys::finalizers;
use millwright_api::{ClassRecord, Machine, MachineClass, ObjectView, SecretView};
use millwright_decide::machine::{SecretState, UnheldSecret};

use super::{Index, Kind, Wake};
use crate::watch::WatchEvent;

#[derive(Default)]
pub(super) struct SecretLookups {
    by_secret: HashMap<String, BTreeSet<String>>,
    by_recorded_secret: HashMap<String, BTreeSet<String>>,
}

impl SecretLookups {
    /// Names of the classes that name a Secret of their namespace.
    pub(super) fn classes_of(&self, secret: &str) -> impl Iterator<Item = &String> {
        self.by_secret.get(secret).into_iter().flatten()
    }

    /// Names of the machines whose records name a Secret of their namespace.
    fn recorded_by(&self, secret: &str) -> impl Iterator<Item = &String> {
        self.by_recorded_secret.get(secret).into_iter().flatten()
    }

    /// The machine changed, and with it the Secrets that its record names.
    pub(super) fn record_change(
        &mut self,
        machine: &str,
        before: &BTreeSet<String>,
        after: &BTreeSet<String>,
    ) {
        before.difference(after).for_each(|secret| remove(&mut self.by_recorded_secret, secret, machine));
        for secret in after.difference(before) {
            self.by_recorded_secret.entry(secret.clone()).or_default().insert(machine.to_owned());
        }
    }

    pub(super) fn change(&mut self, before: Option<&MachineClass>, after: Option<&MachineClass>) {
        if let Some(class) = before {
            for secret in named_by_class(class) {
                remove(&mut self.by_secret, secret, class.name());
            }
        }
        if let Some(class) = after {
            for secret in named_by_class(class) {
                self.by_secret.entry(secret.to_owned()).or_default().insert(class.name().to_owned());
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

/// The Secrets that a class names in its own namespace; others are not watched.
pub(super) fn named_by_class(class: &MachineClass) -> impl Iterator<Item = &str> {
    let home = class.namespace();
    class.secret_ref.iter().chain(&class.credentials_secret_ref).filter_map(move |found| named(found, home))
}

/// The Secrets that a machine's record of its class names in the machine's namespace.
fn named_by_record(machine: &Machine) -> BTreeSet<String> {
    let Some(record) = ClassRecord::on(machine) else { return BTreeSet::new() };
    let home = machine.namespace();
    let references = record.secret_ref.iter().chain(&record.credentials_secret_ref);
    references.filter_map(|found| named(found, home)).map(str::to_owned).collect()
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

    /// The first Secret that a VM of this class needs and that our finalizer does not hold. One of another namespace is not watched.
    #[must_use]
    pub fn unheld_secret<'a>(&self, class: &'a MachineClass) -> Option<UnheldSecret<'a>> {
        let references =
            [("secretRef", &class.secret_ref), ("credentialsSecretRef", &class.credentials_secret_ref)];
        references.into_iter().find_map(|(field, reference)| {
            let name = named(reference.as_ref()?, class.namespace())?;
            let state = match self.secrets.get(name) {
                Some(secret) if secret.has_finalizer(finalizers::SECRET) => return None,
                Some(secret) if secret.is_deleting() => SecretState::Going,
                Some(_) => SecretState::Free,
                None if self.has_synced(&[Kind::Secret]) => SecretState::Missing,
                None => SecretState::Unlisted,
            };
            Some(UnheldSecret { name, field, state })
        })
    }

    /// Machines whose record of their class names the Secret.
    pub fn machines_recording(&self, secret: &str) -> impl Iterator<Item = &Arc<Machine>> {
        self.secret_lookups.recorded_by(secret).filter_map(|name| self.machines.get(name))
    }

    /// What a machine's record holds changed: what it held may be free now, and what it needs may have to be held.
    pub(super) fn record_changed(
        &mut self,
        before: Option<&Machine>,
        after: Option<&Machine>,
        wake: &mut Wake,
    ) {
        let text =
            |machine: Option<&Machine>| machine.map(|machine| machine.status.created_with_class.clone());
        let Some(machine) = after.or(before) else { return };
        if text(before).unwrap_or_default() == text(after).unwrap_or_default() {
            return;
        }
        let [before, after] = [before, after].map(|machine| machine.map(named_by_record).unwrap_or_default());
        self.secret_lookups.record_change(machine.name(), &before, &after);
        wake.secrets.extend(before);
        wake.secrets.extend(after);
    }

    /// A class changed: the records of its machines may count from now on, or no longer.
    pub(super) fn wake_secrets_of_records(&self, class: &str, wake: &mut Wake) {
        let mut seen = HashSet::new();
        for machine in self.machines_naming_class(class) {
            if seen.insert(&machine.status.created_with_class) {
                wake.secrets.extend(named_by_record(machine));
            }
        }
    }

    /// A Secret is held from now on: births may have waited for that.
    fn wake_births(&self, secret: &str, wake: &mut Wake) {
        let of_classes =
            self.secret_lookups.classes_of(secret).flat_map(|class| self.machine_lookups.of_class(class));
        of_classes
            .chain(self.secret_lookups.recorded_by(secret))
            .filter_map(|name| self.machines.get(name))
            .filter(|machine| machine.spec.provider_id.is_empty())
            .for_each(|machine| wake.machine(machine.name()));
    }

    /// Takes a Secret as the answer to our own write shows it, which changed nothing but its finalizers.
    pub fn apply_secret(&mut self, secret: SecretView) -> Wake {
        let mut wake = Wake::default();
        wake.secrets.insert(secret.name().to_owned());
        self.wake_births(secret.name(), &mut wake);
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
            self.secret_lookups.recorded_by(name).for_each(|machine| wake.mended(machine));
        }
        wake
    }
}
