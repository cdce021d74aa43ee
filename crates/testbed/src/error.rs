//! Why a testbed could not be started or asked.

use std::{io, path::PathBuf};

use crate::{binaries::BinariesError, launch::LaunchError, pki};

/// What a caller of [`crate::Testbed`] may have to deal with.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There are no programs to start.
    #[error(transparent)]
    Binaries(#[from] BinariesError),
    /// A program did not start.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The process that guards the others could not be started.
    #[error("cannot start the shell (`sh`) that ends the testbed's programs when this process ends: {0}")]
    Guard(#[source] io::Error),
    /// A certificate could not be issued.
    #[error("cannot issue a certificate of the testbed: {0}")]
    Certificate(#[from] rcgen::Error),
    /// A client could not be made.
    #[error("cannot make a client of the API server: {0}")]
    Client(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The API server refused.
    #[error("cannot {action}: {source}")]
    Api {
        /// What was tried.
        action: String,
        /// What the API server said.
        source: Box<kube::Error>,
    },
}

impl From<pki::WriteError> for Error {
    fn from(error: pki::WriteError) -> Self {
        match error {
            pki::WriteError::Issue(source) => Self::Certificate(source),
            pki::WriteError::File { path, source } => Self::File { action: "write", path, source },
        }
    }
}

impl Error {
    pub(crate) fn client(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Client(error.into())
    }

    pub(crate) fn api(action: impl Into<String>) -> impl FnOnce(kube::Error) -> Self {
        let action = action.into();
        move |source| Self::Api { action, source: Box::new(source) }
    }

    pub(crate) fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }
}
