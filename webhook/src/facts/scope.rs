//! Which namespaces are watched.

use std::fmt;

use kube::{Api, Resource};

/// All namespaces, as it is written in flag `--namespace`.
const ALL: &str = "*";

/// One namespace or all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Only this one.
    One(String),
    /// Every namespace of the cluster.
    All,
}

impl Scope {
    /// What the flag says.
    pub(super) fn of(text: &str) -> Self {
        if text == ALL { Self::All } else { Self::One(text.to_owned()) }
    }

    /// Whether objects of that namespace are watched.
    pub(super) fn holds(&self, namespace: &str) -> bool {
        match self {
            Self::One(only) => only == namespace,
            Self::All => true,
        }
    }

    /// The objects of a kind within the scope.
    pub(super) fn api<K>(&self, client: kube::Client) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>,
    {
        match self {
            Self::One(namespace) => Api::namespaced(client, namespace),
            Self::All => Api::all(client),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(namespace) => f.write_str(namespace),
            Self::All => f.write_str("all namespaces"),
        }
    }
}
