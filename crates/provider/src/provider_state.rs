//! The provider's memory of an operation that goes on: opaque, small, kept in `status.lastKnownState`.

use std::fmt;

/// At most 4 KiB of text that only its provider understands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderState(String);

/// A state that would not fit into a Machine's status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateTooLarge {
    bytes: usize,
}

impl fmt::Display for StateTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "provider state of {} bytes is over the limit of {}", self.bytes, ProviderState::MAX_BYTES)
    }
}

impl std::error::Error for StateTooLarge {}

impl ProviderState {
    /// The largest state that is kept.
    pub const MAX_BYTES: usize = 4096;

    /// Takes a provider's text.
    ///
    /// # Errors
    /// When it is over [`Self::MAX_BYTES`].
    pub fn new(text: impl Into<String>) -> Result<Self, StateTooLarge> {
        let text = text.into();
        if text.len() > Self::MAX_BYTES { Err(StateTooLarge { bytes: text.len() }) } else { Ok(Self(text)) }
    }

    /// The text, for its provider and for the status.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
