//! Whether rollouts may take steps.

use jiff::Timestamp;

use super::Opening;

/// What maintenance windows say at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaintenanceState {
    /// One is open.
    Open {
        /// When to ask again; it may have opened anew by then. `None` when it never closes.
        until: Option<Timestamp>,
    },
    /// None is.
    Closed {
        /// When the first of them opens; `None` when that is years away.
        opening: Option<Opening>,
    },
}
