//! A value that a cloud can read. Printing it prints no value of it.

use std::fmt;

use serde_json::Value;

use crate::Credentials;

/// What became of a value.
#[derive(Clone)]
pub struct Resolved {
    /// The spec of a class in Kubermatic's dialect: plain values, no credentials, and `scope`.
    pub spec: Value,
    /// The credentials, under the keys of a Gardener Secret of the same cloud. User data is not among them.
    pub credentials: Credentials,
}

impl fmt::Debug for Resolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolved").field("credentials", &self.credentials).finish_non_exhaustive()
    }
}
