//! Why there are no figures.

use std::{io, path::PathBuf};

use crate::{
    BenchError, CargoError, Error, cli::CliError, kubectl::KubectlError, launch::LaunchError,
    ours::OursError, process::Ended,
};

/// What ends a bench early.
#[derive(Debug, thiserror::Error)]
pub enum WebhookBenchError {
    /// The webhook could not be built.
    #[error(transparent)]
    Build(#[from] CargoError),
    /// The API server did not start, or gave no answer.
    #[error(transparent)]
    Testbed(#[from] Error),
    /// The webhook did not start beside it.
    #[error(transparent)]
    Ours(#[from] OursError),
    /// The manifests could not be applied.
    #[error(transparent)]
    Kubectl(#[from] KubectlError),
    /// The webhook did not start.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// It went away.
    #[error("{0}")]
    Ended(#[from] Ended),
    /// What is known of its process could not be read.
    #[error(transparent)]
    Proc(#[from] BenchError),
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
    /// The certificates could not be made.
    #[error("cannot make a certificate: {0}")]
    Certificate(#[from] rcgen::Error),
    /// TLS could not be set up.
    #[error("cannot set TLS up: {0}")]
    Tls(#[from] rustls::Error),
    /// The connection to the webhook broke.
    #[error("the webhook could not be asked: {0}")]
    Connection(#[from] io::Error),
    /// HTTP broke.
    #[error("the webhook gave no answer: {0}")]
    Http(#[from] hyper::Error),
    /// It took too long.
    #[error("the webhook gave no answer within {seconds} s; its log is {}", log.display())]
    Silent {
        /// How long it had.
        seconds: u64,
        /// Its log.
        log: PathBuf,
    },
    /// An answer was not what the question should get.
    #[error("{case}: the webhook answered otherwise than the bench expects: {answer}")]
    Unexpected {
        /// What was asked.
        case: &'static str,
        /// What it said.
        answer: String,
    },
    /// The API server refused an object that is valid.
    #[error("the API server refused the bench's object: {0}")]
    Refused(#[from] kube::Error),
    /// The folder is another's, or signals can't be received.
    #[error("{0}")]
    Place(Box<CliError>),
    /// Ctrl-C.
    #[error("interrupted; what was started is ended")]
    Interrupted,
}

impl From<CliError> for WebhookBenchError {
    fn from(error: CliError) -> Self {
        Self::Place(Box::new(error))
    }
}

impl WebhookBenchError {
    pub(super) fn file(
        action: &'static str,
        path: impl AsRef<std::path::Path>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.as_ref().to_owned();
        move |source| Self::File { action, path, source }
    }
}
