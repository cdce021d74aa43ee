//! The wall clock, read in one place: certificates need a day to start and one to end.

use jiff::{Timestamp, civil::Date, tz::TimeZone};

/// Today in UTC.
#[expect(
    clippy::disallowed_methods,
    reason = "the testbed is an edge: it issues certificates for the real clock"
)]
pub(crate) fn today() -> Date {
    Timestamp::now().to_zoned(TimeZone::UTC).date()
}
