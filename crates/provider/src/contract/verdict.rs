//! What a point of the contract says about a provider.

use std::fmt;

/// A point that holds, or could not be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It holds.
    Yes,
    /// The scripted cloud does not offer what the question needs; the text says what.
    NotOffered(&'static str),
}

/// A point that does not hold: what was expected and what was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(pub String);

/// The verdict on one point.
pub type Verdict = Result<Kept, Broken>;

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Broken {}

/// Holds when `holds` is true; `seen` says what was expected and seen when it is not.
pub(crate) fn expect_that(holds: bool, seen: impl FnOnce() -> String) -> Result<(), Broken> {
    if holds { Ok(()) } else { Err(Broken(seen())) }
}
