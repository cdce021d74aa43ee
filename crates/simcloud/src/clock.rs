//! The one place where this crate reads the time.
//!
//! The simulated cloud is an edge: it stamps what it makes as a real cloud does.

use jiff::Timestamp;

/// The current time.
#[expect(clippy::disallowed_methods, reason = "a simulated cloud keeps its own time; nothing decides by it")]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}
