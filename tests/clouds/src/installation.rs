//! What is installed before stand-ins from Python packages can start: virtual environments at pinned versions, and OpenStack's empty
//! databases. All of it lies in the cache that the testbed's programs are kept in. How a stand-in is started is its own module's part.

mod lock;
mod python;
mod step;
mod venv;

use std::path::{Path, PathBuf};

use millwright_testbed::{Progress, cache_folder};

pub(crate) use self::lock::Lock;
pub(crate) use self::step::run_step;
pub use self::venv::Venv;
use crate::{StandInError, openstack};

/// Where this checkout keeps sources of stand-ins.
pub(crate) fn sources() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What is installed, as `cargo testbed clouds status` tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// What it is.
    pub what: &'static str,
    /// Where it is or would be.
    pub folder: PathBuf,
    /// Whether it is there.
    pub is_there: bool,
}

impl Installation {
    /// Installs everything that is not there yet.
    pub async fn complete(progress: &dyn Progress) -> Result<(), StandInError> {
        for venv in Venv::ALL {
            venv.install(progress).await?;
        }
        openstack::prepared(progress).await?;
        Ok(())
    }

    /// Each thing that [`Installation::complete`] installs.
    pub fn all() -> Result<Vec<Self>, StandInError> {
        let mut all = Vec::new();
        for venv in Venv::ALL {
            let folder = venv.folder()?;
            all.push(Self { what: venv.what(), is_there: venv.installed()?.is_some(), folder });
        }
        let folder = openstack::prepared_folder()?;
        all.push(Self { what: "OpenStack's databases", is_there: folder.is_dir(), folder });
        Ok(all)
    }
}

/// The folder in the cache for `name`, whose content depends on `inputs` and nothing else.
pub(crate) fn cached(name: &str, inputs: &[&[u8]]) -> Result<PathBuf, StandInError> {
    use sha2::{Digest, Sha256};
    let mut hash = Sha256::new();
    for input in inputs {
        hash.update(u64::try_from(input.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(input);
    }
    let hex: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Ok(cache_folder()?.join(format!("clouds-{name}-{hex}")))
}
