//! Which keys a provider reads from a class's Secrets.

/// A key, with the other spellings it may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretKey {
    /// The spelling to recommend.
    pub name: &'static str,
    /// Spellings that are understood too.
    pub aliases: &'static [&'static str],
    /// Whether it must be there.
    pub requirement: Requirement,
    /// What it is, for messages and docs.
    pub meaning: &'static str,
}

/// Whether a key must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// No call works without it.
    Required,
    /// Used when present.
    Optional,
}
