//! Where the programs of the control plane come from: a folder that the user names, a folder on PATH, or a build of our own.
//! All five come from one place, so that their versions fit together. What else tests need from Go is built in the same way.

mod cache;
mod control_plane;
mod go;
mod module;
mod search;

use std::{ffi::OsString, path::PathBuf};

#[cfg(test)]
pub(crate) use self::module::tests::assert_carries_its_source_tree;
pub use self::{cache::CacheError, go::GoError, module::GoModule};
use self::{control_plane::CONTROL_PLANE, search::Search};
use crate::{program::Program, progress::Progress};

/// A folder with all five programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binaries {
    folder: PathBuf,
}

/// Why there are no programs.
#[derive(Debug, thiserror::Error)]
pub enum BinariesError {
    /// The cache can't be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The build failed.
    #[error(transparent)]
    Go(#[from] GoError),
}

impl Binaries {
    /// Finds the programs, and builds them when there are none.
    pub async fn locate(progress: &dyn Progress) -> Result<Self, BinariesError> {
        let assets = environment("KUBEBUILDER_ASSETS").map(PathBuf::from);
        let path: Vec<_> =
            environment("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
        match search::search(assets.as_deref(), &path) {
            Search::Found(folder) => Ok(Self { folder }),
            Search::Missing { passed_over } => {
                if let Some(reason) = passed_over {
                    progress.say(&reason);
                }
                Ok(Self { folder: CONTROL_PLANE.built(progress).await? })
            }
        }
    }

    /// The executable of `program`.
    pub fn path(&self, program: Program) -> PathBuf {
        self.folder.join(program.name())
    }
}

impl GoModule {
    /// The folder with its programs; builds them when they are not there, one build at a time on this machine.
    pub async fn built(&self, progress: &dyn Progress) -> Result<PathBuf, BinariesError> {
        cache::ensure_built(self, &cache::folder(environment)?, progress).await
    }
}

/// The folder that outlives `cargo clean` and serves every clone: what takes minutes to build or to install is kept there.
pub fn cache_folder() -> Result<PathBuf, CacheError> {
    cache::folder(environment)
}

fn environment(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
