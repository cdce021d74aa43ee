//! When a maintenance window opens next, for people and for clocks.

use std::fmt;

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};

/// A moment, as it is shown where the window was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The moment.
    pub at: Timestamp,
    offset: Offset,
}

impl Opening {
    pub(super) fn new(at: Timestamp, zone: &TimeZone) -> Self {
        Self { at, offset: zone.to_offset(at) }
    }
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.offset == Offset::UTC {
            return write!(f, "{}", self.at);
        }
        write!(f, "{} ({})", self.at.display_with_offset(self.offset), self.at)
    }
}
