//! How the API server treats a kind: what differs between kinds is here, what is the same for all is in `store`.

use std::fmt;

/// A kind of objects and its rules.
#[derive(PartialEq, Eq)]
pub(crate) struct ResourceKind {
    pub(crate) group: &'static str,
    pub(crate) version: &'static str,
    pub(crate) plural: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) scope: Scope,
    pub(crate) origin: Origin,
    pub(crate) status: StatusRule,
    pub(crate) generation: GenerationRule,
    pub(crate) grace: Grace,
    pub(crate) deleted: DeletedAnswer,
    pub(crate) put: PutRule,
    /// Fields that a selector may name beside `metadata.name` and `metadata.namespace`.
    pub(crate) fields: &'static [&'static str],
    pub(crate) scale: Scale,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Namespaced,
    Cluster,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    BuiltIn,
    Custom,
}

/// What the main endpoint and the status endpoint may write.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatusRule {
    /// There is no status endpoint; the main endpoint writes everything.
    None,
    /// The status endpoint writes metadata too.
    WithMetadata { at_creation: AtCreation },
    /// The status endpoint writes the status and nothing else.
    Alone { at_creation: AtCreation },
}

/// What becomes of a status that a new object brings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtCreation {
    Kept,
    Dropped,
    /// It is this JSON, whatever was sent.
    Fixed(&'static str),
}

/// What `metadata.generation` counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum GenerationRule {
    /// There is none.
    Absent,
    /// Changes of the spec.
    Spec,
    /// Changes of all but metadata.
    AllButMetadata,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grace {
    None,
    /// A pod on a node ends in its own time.
    Pod,
}

/// How a deletion that is done is answered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeletedAnswer {
    Object,
    Status,
}

/// What a PUT may do beyond replacing the version it names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PutRule {
    /// Nothing.
    Strict,
    /// It may name no version.
    Blind,
    /// It may make the object.
    Creates,
    /// Both.
    BlindOrCreates,
}

impl PutRule {
    pub(crate) fn may_be_blind(self) -> bool {
        matches!(self, Self::Blind | Self::BlindOrCreates)
    }

    pub(crate) fn may_create(self) -> bool {
        matches!(self, Self::Creates | Self::BlindOrCreates)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    None,
    /// By `spec.replicas`, `status.replicas` and `status.selector`.
    Replicas,
}

impl ResourceKind {
    pub(crate) fn api_version(&self) -> String {
        match self.group {
            "" => self.version.to_owned(),
            group => format!("{group}/{}", self.version),
        }
    }

    pub(crate) fn is_namespaced(&self) -> bool {
        self.scope == Scope::Namespaced
    }

    pub(crate) fn is_custom(&self) -> bool {
        self.origin == Origin::Custom
    }

    /// `machines.machine.sapcloud.io`, or `pods` in the core group.
    pub(crate) fn qualified(&self) -> String {
        match self.group {
            "" => self.plural.to_owned(),
            group => format!("{}.{group}", self.plural),
        }
    }
}

impl fmt::Debug for ResourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.qualified())
    }
}
