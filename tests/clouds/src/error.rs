//! Why there is no stand-in.

use std::{io, path::PathBuf};

use millwright_testbed::{CacheError, LaunchError};

/// Why a stand-in could not be installed, started or asked.
#[derive(Debug, thiserror::Error)]
pub enum StandInError {
    /// There is no Python to install it with.
    #[error(
        "stand-ins for clouds need Python 3.11 or newer with its modules venv and ensurepip, and none of {tried} is one: install it \
         (Debian and Ubuntu: packages python3 and python3-venv), or name one in MILLWRIGHT_PYTHON"
    )]
    NoPython {
        /// What was called.
        tried: String,
    },
    /// It is not installed.
    #[error("{what} is not installed: run `cargo testbed clouds install`")]
    NotInstalled {
        /// What is missing.
        what: &'static str,
    },
    /// The cache can't be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The disk says no.
    #[error("cannot {action} {}: {source}", path.display())]
    Disk {
        /// What was tried.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Somebody else installs, and does not come to an end.
    #[error("another installation of stand-ins has been running for half an hour; it holds {}", lock.display())]
    Occupied {
        /// The lock's file.
        lock: PathBuf,
    },
    /// A step of the installation failed.
    #[error("{step} failed ({how}); its log {} ends with:\n{last_lines}", log.display())]
    Step {
        /// Which one.
        step: String,
        /// How it ended.
        how: String,
        /// Its log.
        log: PathBuf,
        /// The end of its log.
        last_lines: String,
    },
    /// There is no place to run it in.
    #[error(transparent)]
    Testbed(#[from] millwright_testbed::Error),
    /// It did not start.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// It was asked something and gave no good answer.
    #[error("{method} {url}: {reason}")]
    Asked {
        /// How it was asked.
        method: String,
        /// What.
        url: String,
        /// What came of it.
        reason: String,
    },
}

impl StandInError {
    pub(crate) fn disk(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Disk { action, path, source }
    }
}
