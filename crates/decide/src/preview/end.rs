//! How a change ends.

use serde::Serialize;

/// Where running a change forward led to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum End {
    /// Nobody has anything left to do.
    Rest,
    /// It goes on after as many steps as were looked at.
    Unfinished {
        /// Machines that still wait for their turn.
        left: usize,
        /// About how many steps it takes in all, if it goes on at that pace.
        steps: usize,
    },
    /// It goes on, and no machine gets further: it never ends.
    Endless,
}
