//! All flags that can't be used, collected before any of them is reported.

use std::fmt;

use crate::FlagMistake;

/// At least one mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlagMistakes(Vec<FlagMistake>);

impl FlagMistakes {
    /// The mistakes, in the order of the groups of flags.
    #[must_use]
    pub fn all(&self) -> &[FlagMistake] {
        &self.0
    }
}

impl fmt::Display for FlagMistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [one] => one.fmt(f),
            many => {
                write!(f, "{} flags can't be used:", many.len())?;
                many.iter().try_for_each(|mistake| write!(f, "\n  {mistake}"))
            }
        }
    }
}

impl std::error::Error for FlagMistakes {}

/// Takes mistakes while flags are read.
#[derive(Debug, Default)]
pub(crate) struct Collector(Vec<FlagMistake>);

impl Collector {
    /// Notes a mistake.
    pub(crate) fn add(&mut self, flag: &'static str, value: &str, allowed: impl Into<String>) {
        self.0.push(FlagMistake { flag, value: value.to_owned(), allowed: allowed.into() });
    }

    /// How many there are so far.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Reads a value, or notes what is allowed.
    pub(crate) fn read<T>(
        &mut self,
        flag: &'static str,
        text: &str,
        reading: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        reading(text).map_err(|allowed| self.add(flag, text, allowed)).ok()
    }

    /// What was put together from all values; it is missing only when there was a mistake.
    pub(crate) fn unless_any<T>(self, whole: Option<T>) -> Result<T, FlagMistakes> {
        match whole {
            Some(whole) if self.0.is_empty() => Ok(whole),
            _ => Err(FlagMistakes(self.0)),
        }
    }
}
