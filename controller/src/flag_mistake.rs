//! One flag that can't be used.

use std::fmt;

/// A flag, what was given, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlagMistake {
    /// The flag, with its dashes.
    pub flag: &'static str,
    /// What was given.
    pub value: String,
    /// What to write.
    pub allowed: String,
}

impl fmt::Display for FlagMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { flag, value, allowed } = self;
        if value.is_empty() {
            write!(f, "{flag} is empty: {allowed}")
        } else {
            write!(f, "{flag}={value}: {allowed}")
        }
    }
}
