//! Why the demo did not come to its good end.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    cargo_build::CargoError, cli::CliError, cloud::CloudError, error::Error, kubectl::KubectlError,
    ours::OursError, process::Ended,
};

/// What ends the demo early.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// Our programs could not be built.
    #[error(transparent)]
    Build(#[from] CargoError),
    /// The control plane did not start.
    #[error(transparent)]
    Testbed(#[from] Error),
    /// One of our programs did not start.
    #[error(transparent)]
    Ours(#[from] OursError),
    /// The folder is another's, or signals can't be received.
    #[error(transparent)]
    Place(#[from] CliError),
    /// kubectl failed where it should not.
    #[error(transparent)]
    Kubectl(#[from] KubectlError),
    /// The simulated cloud failed where it should not.
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
    /// Something did not happen.
    #[error(transparent)]
    Unseen(#[from] Box<Unseen>),
    /// Something happened that must not.
    #[error("{what}\n{details}")]
    Wrong {
        /// What.
        what: String,
        /// What was seen instead.
        details: String,
    },
    /// Ctrl-C.
    #[error("interrupted; what was started is ended")]
    Interrupted,
}

/// What did not happen, and all that helps to see why.
#[derive(Debug, thiserror::Error)]
#[error(
    "waited {} s in vain for: {what}\nlast seen: {last}\n{details}the controller's log {} ends with:\n{last_lines}",
    patience.as_secs(),
    log.display()
)]
pub struct Unseen {
    /// What should have happened.
    pub what: String,
    /// How long it had.
    pub patience: Duration,
    /// How it looked at the end.
    pub last: String,
    /// What the machines say, a line each.
    pub details: String,
    /// The controller's log.
    pub log: PathBuf,
    /// The end of it.
    pub last_lines: String,
}

impl DemoError {
    pub(super) fn file(action: &'static str, path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        let path = path.as_ref().to_owned();
        move |source| Self::File { action, path, source }
    }
}
