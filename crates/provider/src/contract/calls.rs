//! How many calls a cloud has seen.

/// Counts of calls, by what they could change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// Calls that only read.
    pub reading: usize,
    /// Calls that could change something, whatever came of them.
    pub changing: usize,
}

impl Calls {
    /// All of them.
    #[must_use]
    pub fn total(self) -> usize {
        self.reading + self.changing
    }
}
