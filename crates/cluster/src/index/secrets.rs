//! Look-ups over the Secrets that classes name.

use std::collections::{BTreeSet, HashMap};

use k8s_openapi::api::core::v1::SecretReference;
use millwright_api::{ClassRecord, MachineClass, ObjectView};

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
