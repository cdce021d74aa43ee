//! How much a call matters.

/// How urgent a call is. The first is served first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Urgency {
    /// What ends something that costs money.
    Delete,
    /// What makes something that somebody waits for.
    Create,
    /// What only looks.
    Poll,
}

impl Urgency {
    /// All of them, the most urgent first.
    pub const ALL: [Self; 3] = [Self::Delete, Self::Create, Self::Poll];
}
