//! The verdicts on all points, for the test that asked.

use std::fmt;

use super::{Kept, Verdict};

/// Every point with its verdict, in the order they were asked.
#[derive(Debug, Default)]
pub struct Report {
    pub(crate) verdicts: Vec<(&'static str, Verdict)>,
}

impl Report {
    /// Names of the points that do not hold.
    pub fn broken(&self) -> impl Iterator<Item = &'static str> {
        self.verdicts.iter().filter(|(_, verdict)| verdict.is_err()).map(|(point, _)| *point)
    }

    /// Names of the points that could not be asked.
    pub fn not_offered(&self) -> impl Iterator<Item = &'static str> {
        self.verdicts
            .iter()
            .filter(|(_, verdict)| matches!(verdict, Ok(Kept::NotOffered(_))))
            .map(|(point, _)| *point)
    }

    /// Ends the test with all broken points when there are any.
    ///
    /// # Panics
    /// When a point does not hold.
    #[track_caller]
    pub fn assert_kept(&self) {
        assert!(self.broken().next().is_none(), "the provider breaks its contract\n{self}");
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (point, verdict) in &self.verdicts {
            match verdict {
                Ok(Kept::Yes) => writeln!(f, "  kept         {point}")?,
                Ok(Kept::NotOffered(why)) => writeln!(f, "  not offered  {point}: {why}")?,
                Err(broken) => writeln!(f, "  BROKEN       {point}: {broken}")?,
            }
        }
        Ok(())
    }
}
