//! When an object must be looked at again although nothing happens to it.

use std::time::Duration;

/// The earliest wish wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Requeue {
    /// Only when something changes.
    #[default]
    OnChange,
    /// After this time at the latest.
    After(Duration),
}

impl Requeue {
    /// The earlier of two wishes.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::After(a), Self::After(b)) => Self::After(a.min(b)),
            (Self::OnChange, other) => other,
            (this, Self::OnChange) => this,
        }
    }
}
