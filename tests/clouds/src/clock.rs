//! The wall clock that nodes and leases are dated by.

use jiff::Timestamp;

#[expect(clippy::disallowed_methods, reason = "it plays kubelets, whose heartbeats bear the time")]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}
