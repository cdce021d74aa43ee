//! Why a call got no answer.

use std::error::Error;
use std::time::Duration;

use millwright_api::MachineCode;
use millwright_provider::ProviderError;

/// A call without an answer. None of these ever means that something is not there.
#[derive(Debug, thiserror::Error)]
pub enum CallFailure {
    /// The budget of this credential is spent.
    #[error(
        "{what}: the budget of calls of this credential is spent for the next {retry_after:?}; nothing was sent"
    )]
    NoTurn {
        /// The operation.
        what: String,
        /// When to try again.
        retry_after: Duration,
    },
    /// The deadline had passed before it could be sent.
    #[error("{what}: no time was left for it; nothing was sent")]
    TooLate {
        /// The operation.
        what: String,
    },
    /// None came in time.
    #[error("{what}: no answer in time; it may have had its effect")]
    TimedOut {
        /// The operation.
        what: String,
    },
    /// No connection, or it broke.
    #[error("{what}: no connection to {endpoint}; can it be reached from here?")]
    Unreachable {
        /// The operation.
        what: String,
        /// Scheme, host and port.
        endpoint: String,
        /// The cause.
        source: Box<dyn Error + Send + Sync>,
    },
    /// There is no such request.
    #[error("{what}: {reason}")]
    Unsendable {
        /// The operation.
        what: String,
        /// Why; without a credential.
        reason: String,
    },
}

impl CallFailure {
    /// Whether there was no connection at all, so that the cloud can't have heard of the call.
    #[must_use]
    pub fn is_unheard(&self) -> bool {
        let Self::Unreachable { source, .. } = self else { return false };
        source.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_connect)
    }

    /// As a provider's error; `cloud` begins the message.
    #[must_use]
    pub fn of(self, cloud: &str) -> ProviderError {
        let code = match &self {
            Self::NoTurn { .. } | Self::Unreachable { .. } => MachineCode::Unavailable,
            Self::TimedOut { .. } | Self::TooLate { .. } => MachineCode::DeadlineExceeded,
            Self::Unsendable { .. } => MachineCode::InvalidArgument,
        };
        let error = ProviderError::new(code, format!("{cloud}: {self}"));
        let error = if self.is_unheard() { error.unheard() } else { error };
        match self {
            Self::NoTurn { retry_after, .. } => error.retry_after(retry_after),
            Self::Unreachable { source, .. } => error.caused_by(source),
            Self::TimedOut { .. } | Self::TooLate { .. } | Self::Unsendable { .. } => error,
        }
    }
}
