//! What is asked for: a write or the deletion of one object. Subresources have no rules and can't be expressed.

use serde_json::Value;

use crate::Kind;

/// A write that waits for a decision.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Kind of the object.
    pub kind: Kind,
    /// Name of the object; empty while the API server still has to generate it.
    pub name: &'a str,
    /// Namespace of the object.
    pub namespace: &'a str,
    /// Who writes, as far as he says it; whoever applies on the server side must.
    pub field_manager: Option<&'a str>,
    /// The objects.
    pub change: Change<'a>,
}

/// The objects of a write, as raw JSON.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    /// A new object.
    Create {
        /// The object.
        new: &'a Value,
    },
    /// Another state of an object that exists, which may have been wrong already.
    Update {
        /// What is stored.
        old: &'a Value,
        /// What shall be stored.
        new: &'a Value,
    },
    /// The end of an object.
    Delete {
        /// What is stored.
        old: &'a Value,
    },
}

impl<'a> Change<'a> {
    /// The object as it shall be stored; none when it shall be gone.
    #[must_use]
    pub const fn new_object(self) -> Option<&'a Value> {
        match self {
            Self::Create { new } | Self::Update { new, .. } => Some(new),
            Self::Delete { .. } => None,
        }
    }
}
