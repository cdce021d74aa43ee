//! Why there are no figures.

use std::{io, path::PathBuf};

use crate::{
    cargo_build::CargoError, cli::CliError, cloud::CloudError, error::Error, kubectl::KubectlError,
    ours::OursError, process::Ended,
};

/// What ends a bench early.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// Our programs could not be built.
    #[error(transparent)]
    Build(#[from] CargoError),
    /// The control plane did not start, or gave no answer.
    #[error(transparent)]
    Testbed(#[from] Error),
    /// One of our programs did not start.
    #[error(transparent)]
    Ours(#[from] OursError),
    /// The manifests could not be applied.
    #[error(transparent)]
    Kubectl(#[from] KubectlError),
    /// The simulated cloud gave no answer.
    #[error(transparent)]
    Cloud(#[from] CloudError),
    /// A program went away in the middle.
    #[error("{0}")]
    Ended(#[from] Ended),
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
    /// What is known of a process could not be read.
    #[error("cannot read {}: {reason}; a bench needs Linux' /proc", path.display())]
    Proc {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The controller's own figures could not be read.
    #[error("cannot read {url}: {source}; is the controller still running?")]
    ControllerMetrics {
        /// Where they should be.
        url: String,
        /// What went wrong.
        source: reqwest::Error,
    },
    /// A phase does not come to its end.
    #[error("phase {phase} is not over after {seconds} s; it stands at: {state}\nthe controller's log {} ends with:\n{last_lines}", log.display())]
    TooSlow {
        /// Which one.
        phase: String,
        /// How long it had.
        seconds: u64,
        /// How far it came.
        state: String,
        /// The controller's log.
        log: PathBuf,
        /// The end of it.
        last_lines: String,
    },
    /// The deployment counts otherwise than the bench.
    #[error("the MachineDeployment says that {machines} machines are ready, but {running} are Running")]
    Untrue {
        /// What it says.
        machines: u32,
        /// What there is.
        running: usize,
    },
    /// The folder is another's, or signals can't be received.
    #[error("{0}")]
    Place(Box<CliError>),
    /// Ctrl-C.
    #[error("interrupted; what was started is ended")]
    Interrupted,
}

impl From<CliError> for BenchError {
    fn from(error: CliError) -> Self {
        Self::Place(Box::new(error))
    }
}

impl BenchError {
    pub(super) fn file(
        action: &'static str,
        path: impl AsRef<std::path::Path>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.as_ref().to_owned();
        move |source| Self::File { action, path, source }
    }
}
