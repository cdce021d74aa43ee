//! The wall clock of the stand-in: what it writes into documents. Deadlines go by `Instant`.

use jiff::Timestamp;

#[expect(clippy::disallowed_methods, reason = "a simulator of a server, whose answers bear the time")]
pub(super) fn now() -> Timestamp {
    Timestamp::now()
}
