//! What went wrong in a call: a machine code decides what follows, the message is for people.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use millwright_api::MachineCode;

use crate::ProviderState;

/// Whether the cloud can have heard of a call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// It may have, and may have done what was asked.
    Perhaps,
    /// Not a byte of it was sent: there was no connection.
    Never,
}

/// A failed call. Displayed in the text form of machine codes, which is part of the API.
#[derive(Debug)]
pub struct ProviderError {
    /// Decides retry and phase.
    pub code: MachineCode,
    /// For people: what was wrong, with the cloud's request id where there is one. Never a credential.
    pub message: String,
    /// How long the cloud asks to wait; bounded by what the code promises.
    pub retry_after: Option<Duration>,
    /// What to remember for the next attempt.
    pub state: Option<ProviderState>,
    /// Whether it may have had an effect.
    pub heard: Heard,
    /// The cause, for logs.
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

impl ProviderError {
    /// An error with a code and a message.
    pub fn new(code: MachineCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            retry_after: None,
            state: None,
            heard: Heard::Perhaps,
            source: None,
        }
    }

    /// With the wait that the cloud asked for.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Of a call that the cloud never heard of.
    #[must_use]
    pub fn unheard(mut self) -> Self {
        self.heard = Heard::Never;
        self
    }

    /// With its cause.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl fmt::Display for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.code.to_text(&self.message))
    }
}

impl Error for ProviderError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}
