//! What there is to say about an object.

use k8s_openapi::api::core::v1::ObjectReference;

/// One thing that happened to one object.
#[derive(Clone, Debug, PartialEq)]
pub struct EventNote {
    /// The object, with kind, name, UID and, when it has one, namespace.
    pub regarding: ObjectReference,
    /// Whether somebody should look.
    pub kind: EventKind,
    /// One word, the same for all events of its sort; part of the API.
    pub reason: &'static str,
    /// A sentence for people. Never a credential. Cut off after 1 KiB.
    pub message: String,
    /// Who says it, such as `machineset-controller`.
    pub component: &'static str,
}

/// Types of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// As it should be.
    Normal,
    /// Not as it should be.
    Warning,
}

impl EventKind {
    /// The text in the Event.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Warning => "Warning",
        }
    }
}
