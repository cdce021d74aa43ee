//! Text that must not be printed: API tokens, user data, private keys.
//!
//! It is written to the state file (mode 0600) and sent where it belongs, and shows as
//! `<redacted>` in every `Debug` output.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A secret text; `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the one place that sends it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<redacted>")
    }
}
