//! Who serves the testbed in a folder: the process that holds a lock on a file there. The kernel gives the lock back when that process
//! ends, so as long as it is held, the pid in the file can't be anybody else's.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Seek, Write},
    path::Path,
    time::{Duration, Instant},
};

use super::{CliError, place};

/// The lock, held until this is dropped.
pub(crate) struct Ownership {
    _file: File,
}

fn open(folder: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(place::lock(folder))
}

impl Ownership {
    /// Takes the folder for this process.
    pub(crate) fn take(folder: &Path) -> Result<Self, CliError> {
        let path = place::lock(folder);
        let mut file = open(folder).map_err(CliError::file("open", &path))?;
        let deadline = Instant::now() + Duration::from_secs(1);
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(source)) => return Err(CliError::file("lock", &path)(source)),
                // Somebody who only asks holds the lock for a moment too.
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => {
                    let pid = read_pid(folder).unwrap_or_default();
                    return Err(CliError::Occupied { pid, folder: folder.to_owned() });
                }
            }
        }
        let written = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()));
        written.map_err(CliError::file("write", &path))?;
        Ok(Self { _file: file })
    }

    /// The process that has the folder, if any has.
    pub(crate) fn holder(folder: &Path) -> Result<Option<u32>, CliError> {
        let path = place::lock(folder);
        if !path.exists() {
            return Ok(None);
        }
        let file = open(folder).map_err(CliError::file("open", &path))?;
        let deadline = Instant::now() + Duration::from_secs(1);
        loop {
            match file.try_lock_shared() {
                Ok(()) => return Ok(None),
                Err(TryLockError::Error(source)) => return Err(CliError::file("lock", &path)(source)),
                Err(TryLockError::WouldBlock) => {}
            }
            match read_pid(folder) {
                Some(pid) => return Ok(Some(pid)),
                // It was locked a moment ago, and its pid comes next.
                None if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(20)),
                None => {
                    let source =
                        io::Error::new(io::ErrorKind::InvalidData, "locked, but without a process id in it");
                    return Err(CliError::file("read", &path)(source));
                }
            }
        }
    }
}

fn read_pid(folder: &Path) -> Option<u32> {
    std::fs::read_to_string(place::lock(folder)).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_owner_who_is_named_to_others() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Ownership::holder(folder.path()).unwrap(), None);
        let first = Ownership::take(folder.path()).unwrap();
        assert_eq!(Ownership::holder(folder.path()).unwrap(), Some(std::process::id()));
        let refusal = Ownership::take(folder.path()).err().unwrap();
        assert!(refusal.to_string().contains(&format!("process {}", std::process::id())), "{refusal}");
        drop(first);
        assert_eq!(Ownership::holder(folder.path()).unwrap(), None);
    }
}
