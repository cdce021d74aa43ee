//! What the API server asks.

/// One of the two questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// What do the defaults add?
    Mutate,
    /// Is it allowed?
    Validate,
}

impl Endpoint {
    /// The path it is asked under.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Mutate => "/mutate",
            Self::Validate => "/validate",
        }
    }

    /// The label of metrics and log lines.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Mutate => "mutate",
            Self::Validate => "validate",
        }
    }
}
