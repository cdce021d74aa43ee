//! A call that may be made, and one that may not.

use std::time::Duration;

use tokio::time::Instant;

/// The right to make one call.
#[derive(Debug)]
pub struct Turn {
    /// How long it was waited for.
    pub waited: Duration,
    pub(super) given: Instant,
}

/// No call may be made before the deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the budget of calls is spent; the next call may be made in {retry_after:?}")]
pub struct NoTurn {
    /// When to try again.
    pub retry_after: Duration,
}
