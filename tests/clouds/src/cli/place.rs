//! Which folder a verb speaks of, what lies there, and who has it: the process that holds a lock on a file, with its pid in it.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Seek, Write},
    path::{Path, PathBuf},
};

use clap::Args;

use super::CliError;
use crate::StandInError;

/// The folder of running stand-ins.
#[derive(Debug, Clone, Args)]
pub struct Place {
    /// The folder in which they say what runs [default: clouds in cargo's target folder]
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

impl Place {
    /// The folder as an absolute path; it is there afterwards.
    pub(super) fn folder(&self) -> Result<PathBuf, CliError> {
        let target = std::env::var_os("CARGO_TARGET_DIR").filter(|target| !target.is_empty());
        let target = target.map_or_else(|| millwright_testbed::root().join("target"), PathBuf::from);
        let folder = self.dir.clone().unwrap_or_else(|| target.join("clouds"));
        let folder = std::path::absolute(&folder).map_err(StandInError::disk("find", folder))?;
        std::fs::create_dir_all(&folder).map_err(StandInError::disk("create", &folder))?;
        Ok(folder)
    }
}

/// How to reach what runs, as lines of `export NAME='value'`; there while it is ready.
pub(super) fn environment(folder: &Path) -> PathBuf {
    folder.join("clouds.env")
}

/// Takes the addresses away of somebody who serves no more; who is killed leaves them behind.
pub(super) fn forget(folder: &Path) {
    // Mostly there is nothing.
    let _ = std::fs::remove_file(environment(folder));
}

/// What the serving process prints in the background.
pub(super) fn log(folder: &Path) -> PathBuf {
    folder.join("clouds.log")
}

fn open(folder: &Path) -> Result<File, StandInError> {
    let path = folder.join("clouds.lock");
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
    file.map_err(StandInError::disk("open", path))
}

/// Takes the folder for this process, until what it returns is dropped.
pub(super) fn take(folder: &Path) -> Result<File, CliError> {
    let mut file = open(folder)?;
    if file.try_lock().is_err() {
        let pid = holder(folder)?.unwrap_or_default();
        return Err(CliError::Occupied { pid, folder: folder.to_owned() });
    }
    forget(folder);
    let written = file.set_len(0).and_then(|()| file.rewind());
    let written = written.and_then(|()| writeln!(file, "{}", std::process::id()));
    written.map_err(StandInError::disk("write", folder))?;
    Ok(file)
}

/// The process that has the folder.
pub(super) fn holder(folder: &Path) -> Result<Option<u32>, CliError> {
    match open(folder)?.try_lock_shared() {
        Ok(()) => Ok(None),
        Err(TryLockError::Error(source)) => Err(StandInError::disk("lock", folder)(source).into()),
        Err(TryLockError::WouldBlock) => {
            let text = std::fs::read_to_string(folder.join("clouds.lock")).unwrap_or_default();
            Ok(Some(text.trim().parse().unwrap_or_default()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_owner_who_is_named_to_others() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(holder(folder.path()).unwrap(), None);
        let first = take(folder.path()).unwrap();
        assert_eq!(holder(folder.path()).unwrap(), Some(std::process::id()));
        let refusal = take(folder.path()).err().unwrap().to_string();
        assert!(refusal.contains(&format!("process {}", std::process::id())), "{refusal}");
        drop(first);
        assert_eq!(holder(folder.path()).unwrap(), None);
    }

    #[test]
    fn addresses_of_an_owner_who_was_killed_are_not_told_on() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(environment(folder.path()), "export OS_AUTH_URL='http://127.0.0.1:1'").unwrap();
        let _owner = take(folder.path()).unwrap();
        assert!(!environment(folder.path()).exists());
    }
}
