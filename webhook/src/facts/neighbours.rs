//! Where requests find facts.

use std::sync::Arc;

use super::{NamespaceFacts, Watched};

/// The other objects, as far as they are watched. Cheap to clone.
#[derive(Clone, Default)]
pub struct Neighbours {
    watched: Option<Arc<Watched>>,
}

impl Neighbours {
    /// Nothing is known of any other object.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// What these watches show.
    pub(super) fn watched(watched: Arc<Watched>) -> Self {
        Self { watched: Some(watched) }
    }

    /// What is known of a namespace.
    pub(crate) fn of<'a>(&'a self, namespace: &'a str) -> NamespaceFacts<'a> {
        NamespaceFacts::of(self.watched.as_deref(), namespace)
    }
}
