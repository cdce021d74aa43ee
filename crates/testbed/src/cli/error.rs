//! What a verb of `cargo testbed` may end with.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{Ended, Error, bench::BenchError, bench_webhook::WebhookBenchError};

/// Why a verb failed.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The control plane did not start.
    #[error(transparent)]
    Testbed(#[from] Error),
    /// The control plane broke down later.
    #[error("the testbed is ended, for one of its programs is gone: {0}")]
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
    /// Two testbeds can't have one folder.
    #[error(
        "process {pid} works in {0}: wait for its end, end it with `cargo testbed down --dir {0}`, or take another folder with --dir",
        folder.display()
    )]
    Occupied {
        /// Who holds it.
        pid: u32,
        /// The folder.
        folder: PathBuf,
    },
    /// The process in the background ended instead of getting ready.
    #[error("the testbed did not come up; {} ends with:\n{last_lines}", log.display())]
    NotUp {
        /// What it printed.
        log: PathBuf,
        /// The end of that.
        last_lines: String,
    },
    /// The process in the background takes too long.
    #[error("the testbed did not come up within {seconds} s and was ended; see {}", log.display())]
    TooSlow {
        /// How long it had.
        seconds: u64,
        /// What it printed.
        log: PathBuf,
    },
    /// Ctrl-C.
    #[error("interrupted; what was started is ended")]
    Interrupted,
    /// The process does not go away.
    #[error("process {pid} still holds the testbed in {} although it was killed", folder.display())]
    Stuck {
        /// Which one.
        pid: u32,
        /// Its folder.
        folder: PathBuf,
    },
    /// A bench came to no result.
    #[error(transparent)]
    Bench(#[from] Box<BenchError>),
    /// A bench of the webhook came to no result.
    #[error(transparent)]
    BenchWebhook(#[from] Box<WebhookBenchError>),
    /// Signals can't be received.
    #[error("cannot listen for signals: {0}")]
    Signals(#[source] io::Error),
}

impl CliError {
    pub(super) fn file(action: &'static str, path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        let path = path.as_ref().to_owned();
        move |source| Self::File { action, path, source }
    }
}
