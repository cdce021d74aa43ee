//! Who is told of each call: metrics, and the counts of tests.

use std::fmt::Debug;
use std::time::Duration;

use crate::Urgency;

/// A call that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// The provider, in lower case.
    pub cloud: &'static str,
    /// The cloud's name for the operation, such as `RunInstances` or `instances.insert`.
    pub operation: &'static str,
    /// How urgent it was.
    pub urgency: Urgency,
    /// How long it waited for its turn.
    pub waited: Duration,
    /// How long the answer took.
    pub took: Duration,
    /// The HTTP status; `None` without an answer.
    pub status: Option<u16>,
}

/// Is told. Must not block.
pub trait CallJournal: Debug + Send + Sync {
    /// A call was made.
    fn called(&self, called: &Called);

    /// A cloud asked to be left alone.
    fn throttled(&self, cloud: &'static str, operation: &'static str);

    /// A call was not made, because its budget is spent for longer than it could wait.
    fn spent(&self, _cloud: &'static str, _operation: &'static str) {}
}

/// Tells nobody.
#[derive(Clone, Copy, Debug)]
pub struct NoJournal;

impl CallJournal for NoJournal {
    fn called(&self, _called: &Called) {}

    fn throttled(&self, _cloud: &'static str, _operation: &'static str) {}
}
