//! One change of one object, as the history keeps it.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use crate::{kind::ResourceKind, object, verb::Verb};

/// One change of one object. A request may lead to several (an eviction first says why, then deletes), or to none.
#[derive(Clone, Debug)]
pub struct Write {
    /// The resource version that it made: of `after`, or of the deletion.
    pub revision: u64,
    /// Who did it; `operator` for [`crate::Operator`].
    pub who: String,
    /// Number of the request; `None` for the operator.
    pub request: Option<u64>,
    /// What was asked for; a patch can delete, when it takes the last finalizer away.
    pub verb: Verb,
    /// API group of the object.
    pub group: &'static str,
    /// Plural name of its kind.
    pub resource: &'static str,
    /// Subresource that was written; empty for the object itself.
    pub subresource: &'static str,
    /// Its namespace; empty for cluster-wide kinds.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// What it was; `None` for a new one.
    pub before: Option<Arc<Value>>,
    /// What it is now; `None` when it is gone.
    pub after: Option<Arc<Value>>,
    /// When.
    pub at: Timestamp,
    /// When, on tokio's clock since the server started.
    pub(crate) since_start: Duration,
    pub(crate) kind: &'static ResourceKind,
}

impl Write {
    /// The last that is known of the object; of a deleted one its last state, with the version of its deletion as the server tells it.
    #[must_use]
    pub fn object(&self) -> Value {
        match (&self.after, &self.before) {
            (Some(after), _) => Value::clone(after),
            (None, Some(before)) => {
                let mut object = Value::clone(before);
                object::set_revision(&mut object, self.revision);
                object
            }
            (None, None) => Value::Null,
        }
    }
}
