//! Why a verb failed.

use std::path::PathBuf;

use crate::StandInError;

/// Why a verb of `cargo testbed clouds` failed.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// A stand-in failed.
    #[error(transparent)]
    StandIn(#[from] StandInError),
    /// Somebody else has the folder.
    #[error("process {pid} serves stand-ins in {}: end it with `cargo testbed clouds down`, or choose another --dir", folder.display())]
    Occupied {
        /// Who.
        pid: u32,
        /// Which folder.
        folder: PathBuf,
    },
    /// Nothing runs there.
    #[error("no stand-ins run in {}: start them with `cargo testbed clouds up`", folder.display())]
    NotRunning {
        /// Which folder.
        folder: PathBuf,
    },
    /// The serving process ended.
    #[error("the stand-ins did not come up; {} says why", log.display())]
    NotUp {
        /// What it printed.
        log: PathBuf,
    },
    /// The serving process does not end.
    #[error("process {pid} does not end; it serves stand-ins in {}", folder.display())]
    Stuck {
        /// Who.
        pid: u32,
        /// Which folder.
        folder: PathBuf,
    },
    /// Signals can't be listened for.
    #[error("cannot listen for signals: {0}")]
    Signals(#[source] std::io::Error),
}
