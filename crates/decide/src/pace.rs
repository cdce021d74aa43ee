//! Spaces out writes of counts that change with every machine.

use std::time::Duration;

use jiff::Timestamp;

use crate::elapsed::elapsed;

/// The shortest time between two status writes of one set or deployment.
const INTERVAL: Duration = Duration::from_secs(1);

/// How long to wait before the next write; `None` when it may be done now.
pub(crate) fn rest(written_at: Option<Timestamp>, now: Timestamp) -> Option<Duration> {
    let left = INTERVAL.checked_sub(elapsed(written_at?, now))?;
    (!left.is_zero()).then_some(left)
}
