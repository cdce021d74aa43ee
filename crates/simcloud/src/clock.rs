//! The one place where this crate reads the time.
//!
//! The simulated cloud is an edge: it stamps what it makes as a real cloud does. One that lives inside a test has the test's
//! time; its guests, which a test under paused time has none of, keep the system's.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;

/// The system's time.
#[expect(clippy::disallowed_methods, reason = "a simulated cloud keeps its own time; nothing decides by it")]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}

/// The time of one cloud.
#[derive(Clone)]
pub(crate) struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    pub(crate) fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    pub(crate) fn system() -> Self {
        Self::new(now)
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
