//! The clock of this binary.

use jiff::Timestamp;

/// The system's time.
#[expect(clippy::disallowed_methods, reason = "this is the wiring's clock")]
pub(crate) fn system_time() -> Timestamp {
    Timestamp::now()
}
