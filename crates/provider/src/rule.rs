//! What must hold, under a name that never changes its meaning: the part of a message that can be looked up.

use std::fmt;

/// The name of a rule: words that explain themselves, joined by `-`. A provider's begin with its name and `/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(&'static str);

impl RuleId {
    /// A name, as it stands in messages and in docs/reference/rules.md.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A rule as the reference lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub id: RuleId,
    /// What happens to what breaks it.
    pub severity: Severity,
    /// Where it is looked at: kinds and fields.
    pub at: &'static str,
    /// What must hold, and why.
    pub says: &'static str,
}

/// What happens to what breaks a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// It is refused.
    Error,
    /// It is taken, and the user is told.
    Warning,
}

impl Rule {
    /// A rule whose breach is refused.
    #[must_use]
    pub const fn error(id: &'static str, at: &'static str, says: &'static str) -> Self {
        Self { id: RuleId::new(id), severity: Severity::Error, at, says }
    }

    /// A rule whose breach is only told.
    #[must_use]
    pub const fn warning(id: &'static str, at: &'static str, says: &'static str) -> Self {
        Self { id: RuleId::new(id), severity: Severity::Warning, at, says }
    }
}
