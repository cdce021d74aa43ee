//! The time of day, which an assertion has to name.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "the token server compares an assertion with the time of day")]
pub(crate) fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
