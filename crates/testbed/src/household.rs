//! Programs that run beside no control plane, such as stand-ins for clouds: a folder, the guard that ends them with this process, and
//! what asks them whether they are ready. Which programs, and how they are called, is the caller's business.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    error::Error,
    guard::Guard,
    launch::{LaunchError, Ports, Recipe, launch},
    probe::Probe,
    process::Process,
    tls,
};

/// A place for programs; whatever becomes of this process, none of them outlives it.
pub struct Household {
    folder: PathBuf,
    probe: Probe,
    guard: Guard,
}

impl Household {
    /// An empty one. Its folder is temporary and goes with it.
    pub fn start() -> Result<Self, Error> {
        tls::install_provider();
        let mut guard = Guard::start().map_err(Error::Guard)?;
        let made = tempfile::Builder::new().prefix("millwright-household-").tempdir();
        let made = made.map_err(Error::file("create a folder in", std::env::temp_dir()))?;
        guard.remove_at_end(made.path()).map_err(Error::Guard)?;
        let probe = Probe::without_tls().map_err(Error::client)?;
        Ok(Self { folder: made.keep(), probe, guard })
    }

    /// Where its programs may write.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Starts a program and waits until it is ready. Drop the answer before the household.
    pub async fn start_process(&self, recipe: &Recipe<'_>) -> Result<(Process, Ports), LaunchError> {
        launch(recipe, &self.guard, &self.probe).await
    }

    /// A program that does its work and ends; it is ended with this process at the latest.
    pub fn command(&self, program: &Path) -> Command {
        self.guard.command(program)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_household_takes_its_programs_and_its_folder_with_it() {
        let household = Household::start().unwrap();
        let folder = household.folder().to_owned();
        let mut sleeper = household.command(Path::new("sleep")).arg("600").spawn().unwrap();
        assert!(sleeper.try_wait().unwrap().is_none());
        // Reaped beside the drop: until then the folder stays.
        let reaper = std::thread::spawn(move || sleeper.wait().unwrap());
        drop(household);
        assert!(!reaper.join().unwrap().success());
        let deadline = Instant::now() + Duration::from_secs(60);
        while folder.exists() {
            assert!(Instant::now() < deadline, "{} is still there", folder.display());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
