//! Virtual environments at pinned versions, made once and kept in the cache.
//! An environment knows its own path, so it is made where it stays; a mark that comes last says that it is whole.

use std::{
    io,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use millwright_testbed::Progress;

use super::{Lock, cached, python, run_step};
use crate::StandInError;

const LONGEST_INSTALLATION: Duration = Duration::from_secs(1500);
const MARK: &str = "installed";

/// A set of Python packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Venv {
    /// Moto's server.
    Moto,
    /// Keystone, Nova, Neutron, Glance and Placement.
    OpenStack,
    /// The vendors' own SDKs, which call our stand-ins as a second client.
    SecondClients,
}

impl Venv {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Moto, Self::OpenStack, Self::SecondClients];

    /// What messages call it.
    pub fn what(self) -> &'static str {
        match self {
            Self::Moto => "Moto",
            Self::OpenStack => "OpenStack",
            Self::SecondClients => "the vendors' SDKs",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Moto => "moto",
            Self::OpenStack => "openstack",
            Self::SecondClients => "second-clients",
        }
    }

    pub(crate) fn requirements(self) -> &'static str {
        match self {
            Self::Moto => include_str!("../../python/moto.txt"),
            Self::OpenStack => include_str!("../../python/openstack.txt"),
            Self::SecondClients => include_str!("../../python/second-clients.txt"),
        }
    }

    /// Where it is or would be.
    pub(super) fn folder(self) -> Result<PathBuf, StandInError> {
        cached(self.name(), &[self.requirements().as_bytes()])
    }

    /// Its Python, if it is installed.
    pub fn installed(self) -> Result<Option<PathBuf>, StandInError> {
        let folder = self.folder()?;
        Ok(folder.join(MARK).is_file().then(|| interpreter(&folder)))
    }

    /// Its Python, which must be installed.
    pub fn python(self) -> Result<PathBuf, StandInError> {
        self.installed()?.ok_or(StandInError::NotInstalled { what: self.what() })
    }

    /// Installs it unless it is there, and returns its Python.
    pub async fn install(self, progress: &dyn Progress) -> Result<PathBuf, StandInError> {
        if let Some(python) = self.installed()? {
            return Ok(python);
        }
        let found = python::find().await?;
        let _lock = Lock::take(progress).await?;
        // Whoever held the lock before may have installed the same.
        if let Some(python) = self.installed()? {
            return Ok(python);
        }
        let folder = self.folder()?;
        let start = Instant::now();
        progress.say(&format!("installing {}, once (kept in {})", self.what(), folder.display()));
        self.install_in(&folder, &found).await?;
        progress.say(&format!("{} is installed after {} s", self.what(), start.elapsed().as_secs()));
        Ok(interpreter(&folder))
    }

    async fn install_in(self, folder: &Path, python: &Path) -> Result<(), StandInError> {
        match std::fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(StandInError::disk("remove", folder)(error));
            }
            Ok(()) | Err(_) => {}
        }
        std::fs::create_dir_all(folder).map_err(StandInError::disk("create", folder))?;
        let log = folder.join("install.log");
        let mut make = Command::new(python);
        make.args(["-m", "venv"]).arg(folder.join("venv"));
        run_step("making a virtual environment", make, &log, LONGEST_INSTALLATION).await?;
        let pinned = folder.join("requirements.txt");
        std::fs::write(&pinned, self.requirements()).map_err(StandInError::disk("write", &pinned))?;
        let mut pip = Command::new(interpreter(folder));
        pip.args(["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar=off"]);
        pip.args(["--quiet", "--requirement"]).arg(&pinned);
        run_step(&format!("installing {}", self.what()), pip, &log, LONGEST_INSTALLATION).await?;
        let mark = folder.join(MARK);
        std::fs::write(&mark, "").map_err(StandInError::disk("write", mark))
    }
}

fn interpreter(folder: &Path) -> PathBuf {
    folder.join("venv/bin/python")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_requirement_names_one_version_and_no_place() {
        for venv in Venv::ALL {
            for line in venv.requirements().lines() {
                let (name, version) = line.split_once("==").unwrap_or_else(|| panic!("{line}"));
                assert!(!name.is_empty() && !version.is_empty() && !line.contains(['/', '@', ' ']), "{line}");
            }
        }
    }

    #[test]
    fn each_set_has_a_folder_of_its_own() {
        let folders = Venv::ALL.map(|venv| venv.folder().unwrap());
        assert!(folders[0] != folders[1] && folders[1] != folders[2] && folders[0] != folders[2]);
    }
}
