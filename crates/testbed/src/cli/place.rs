//! Which folder a verb speaks of, and the files that the verbs themselves keep there.

use std::path::{Path, PathBuf};

use clap::Args;

use super::CliError;

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
        let folder = self.dir.clone().unwrap_or_else(default_folder);
        std::path::absolute(&folder).map_err(CliError::file("find", folder))
    }
}

fn default_folder() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."));
    let target = std::env::var_os("CARGO_TARGET_DIR").filter(|target| !target.is_empty());
    target.map_or_else(|| workspace.join("target"), PathBuf::from).join("testbed")
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
