//! What was read for a value's references. Printing it prints no value.

use std::collections::BTreeMap;
use std::fmt;

use super::Reference;

/// Values of references and of environment variables.
#[derive(Clone, Default)]
pub struct Found {
    references: BTreeMap<Reference, Vec<u8>>,
    environment: BTreeMap<String, String>,
}

impl Found {
    /// With what a reference leads to. What is not there is left out, and told as missing by the resolver.
    #[must_use]
    pub fn with(mut self, reference: Reference, value: Vec<u8>) -> Self {
        self.references.insert(reference, value);
        self
    }

    /// With an environment variable of the process that makes the machines.
    #[must_use]
    pub fn with_env(mut self, name: &str, value: &str) -> Self {
        self.environment.insert(name.to_owned(), value.to_owned());
        self
    }

    pub(super) fn of(&self, reference: &Reference) -> Option<&[u8]> {
        self.references.get(reference).map(Vec::as_slice)
    }

    /// The first of these variables that is set and not empty.
    pub(super) fn env(&self, names: &[&str]) -> Option<&str> {
        let set = names.iter().filter_map(|name| self.environment.get(*name));
        set.map(String::as_str).find(|text| !text.is_empty())
    }
}

impl fmt::Debug for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Found")
            .field("references", &self.references.keys().collect::<Vec<_>>())
            .field("environment", &self.environment.keys().collect::<Vec<_>>())
            .finish()
    }
}
