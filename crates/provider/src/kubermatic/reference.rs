//! A place in a cluster that holds the value of a field.

use std::fmt;

/// A key of a Secret or ConfigMap.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reference {
    /// The kind of the object.
    pub source: Source,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The key in it.
    pub key: String,
}

/// Kinds of objects that hold values of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A Secret.
    Secret,
    /// A ConfigMap.
    ConfigMap,
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.source {
            Source::Secret => "Secret",
            Source::ConfigMap => "ConfigMap",
        };
        write!(f, "key {:?} of {kind} {}/{}", self.key, self.namespace, self.name)
    }
}
