//! Which folder a verb speaks of, and the files that the verbs themselves keep there.

use std::path::{Path, PathBuf};

use clap::Args;

use super::CliError;
use crate::checkout;

/// The folder of a testbed.
#[derive(Debug, Clone, Args)]
pub struct Place {
    /// The folder that its data is in [default: testbed in cargo's target folder]
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

impl Place {
    /// The folder as an absolute path.
    pub(super) fn folder(&self) -> Result<PathBuf, CliError> {
        let folder = self.dir.clone().unwrap_or_else(|| checkout::target().join("testbed"));
        std::path::absolute(&folder).map_err(CliError::file("find", folder))
    }
}

/// Who holds it serves the testbed.
pub(super) fn lock(folder: &Path) -> PathBuf {
    folder.join("testbed.lock")
}

/// What runs; there while it is ready.
pub(super) fn record(folder: &Path) -> PathBuf {
    folder.join("testbed.json")
}

/// What the serving process prints when `up` has sent it into the background.
pub(super) fn log(folder: &Path) -> PathBuf {
    folder.join("testbed.log")
}
