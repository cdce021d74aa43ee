//! Paths.

use crate::{kind::ResourceKind, kinds, store::Target};

/// What a path means.
#[derive(Debug)]
pub(super) enum Route {
    /// All objects of a kind, of one namespace or of all.
    Collection { kind: &'static ResourceKind, namespace: String },
    /// One object.
    Object(Target),
    /// Something of an object.
    Subresource(Target, String),
    /// No resource; discovery and health.
    Plain(String),
}

impl Route {
    pub(super) fn parse(path: &str) -> Self {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let plain = || Self::Plain(format!("/{}", parts.join("/")));
        let (group, version, rest) = match parts.as_slice() {
            ["api", version, rest @ ..] => ("", *version, rest),
            ["apis", group, version, rest @ ..] => (*group, *version, rest),
            _ => return plain(),
        };
        let kind = |plural: &str| kinds::served(group, version, plural);
        let found = match rest {
            // Namespaces are the one kind whose objects have paths below them that are other kinds'.
            ["namespaces", namespace, plural, below @ ..]
                if kind(plural).is_some_and(ResourceKind::is_namespaced) =>
            {
                kind(plural).map(|kind| (kind, *namespace, below))
            }
            [plural, below @ ..] => kind(plural).map(|kind| (kind, "", below)),
            [] => None,
        };
        let Some((kind, namespace, below)) = found else { return plain() };
        let namespace = namespace.to_owned();
        match below {
            [] => Self::Collection { kind, namespace },
            [_, ..] if kind.is_namespaced() && namespace.is_empty() => plain(),
            [name] => Self::Object(Target { kind, namespace, name: (*name).to_owned() }),
            [name, subresource] => Self::Subresource(
                Target { kind, namespace, name: (*name).to_owned() },
                (*subresource).to_owned(),
            ),
            _ => plain(),
        }
    }
}
