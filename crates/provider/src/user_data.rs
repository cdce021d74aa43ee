//! The text with which a VM starts. It holds a bootstrap token, so it never prints.

use std::fmt;

/// Final user data, placeholders replaced.
#[derive(Clone, PartialEq, Eq)]
pub struct UserData(String);

impl UserData {
    /// The key of a class's Secret that holds it.
    pub const SECRET_KEY: &'static str = "userData";

    /// Takes the final text.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// The text, for the cloud alone.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for UserData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UserData({} bytes)", self.0.len())
    }
}
