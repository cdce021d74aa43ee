//! How a process becomes the one that writes.

use millwright_decide::lease::LeaseSettings;

/// With an election, or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Election {
    /// By holding leases.
    Leases(LeaseSettings),
    /// It is known to be alone.
    Undisputed,
}
