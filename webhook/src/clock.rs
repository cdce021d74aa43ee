//! The clock of this binary: certificates expire by it.

use jiff::Timestamp;

/// Where the time comes from; tests bring their own.
pub(crate) type Clock = fn() -> Timestamp;

/// The system's time.
#[expect(clippy::disallowed_methods, reason = "this is the wiring's clock")]
pub(crate) fn system_time() -> Timestamp {
    Timestamp::now()
}
