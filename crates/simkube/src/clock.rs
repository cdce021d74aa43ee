//! The time on the server's objects: tokio's clock on a fixed date, so that it stands still when tests pause it.

use std::sync::Arc;

use jiff::Timestamp;
use tokio::time::Instant;

/// Tells the time.
pub(crate) type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// 2026-01-01T00:00:00Z
const BASE: i64 = 1_767_225_600;

/// A clock that starts on a fixed date and goes with tokio's.
pub(crate) fn virtual_clock() -> Clock {
    let started = Instant::now();
    let base = Timestamp::from_second(BASE).expect("the date is within jiff's range");
    Arc::new(move || base.checked_add(started.elapsed()).unwrap_or(base))
}
