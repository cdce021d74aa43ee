//! The file in which a serving process says what it runs, for the verbs that come after it.

use std::{
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{CliError, place};
use crate::{Identity, Process, Program, Testbed};

/// What runs in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The serving process.
    pub(super) pid: u32,
    pub(super) server: String,
    pub(super) kubectl: PathBuf,
    pub(super) kubeconfigs: Vec<(String, PathBuf)>,
    pub(super) programs: Vec<RecordedProgram>,
}

/// One program of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedProgram {
    pub(super) name: String,
    pub(super) pid: u32,
    pub(super) log: PathBuf,
}

impl Record {
    /// What runs: the programs of `testbed`, and `beside` it.
    pub(crate) fn of(testbed: &Testbed, beside: &[Process]) -> Self {
        let beside = beside.iter().map(|process| RecordedProgram {
            name: process.name().to_owned(),
            pid: process.pid(),
            log: process.log().to_owned(),
        });
        Self {
            pid: std::process::id(),
            server: testbed.server_url().to_owned(),
            kubectl: testbed.executable(Program::Kubectl),
            kubeconfigs: Identity::ALL
                .into_iter()
                .map(|identity| (identity.name().to_owned(), testbed.kubeconfig(identity)))
                .collect(),
            programs: testbed
                .programs()
                .into_iter()
                .map(|running| RecordedProgram {
                    name: running.program.name().to_owned(),
                    pid: running.pid,
                    log: running.log,
                })
                .chain(beside)
                .collect(),
        }
    }

    /// Reads the record of `folder`, if there is one.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, CliError> {
        let path = place::record(folder);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(CliError::file("read", &path)(error)),
        };
        serde_json::from_slice(&text).map(Some).map_err(|error| CliError::file("read", &path)(error.into()))
    }

    /// Writes it whole or not at all, so that whoever polls for it never reads half of it.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), CliError> {
        let path = place::record(folder);
        let write = || {
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            serde_json::to_writer_pretty(&mut file, self)?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(CliError::file("write", &path))
    }

    /// Removes the record of `folder`.
    pub(crate) fn remove(folder: &Path) -> Result<(), CliError> {
        let path = place::record(folder);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(CliError::file("remove", &path)(error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_back_until_it_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Record::read(folder.path()).unwrap(), None);
        let record = Record {
            pid: 7,
            server: "https://127.0.0.1:1".to_owned(),
            kubectl: "/bin/kubectl".into(),
            kubeconfigs: vec![("admin".to_owned(), "/k/admin.yaml".into())],
            programs: vec![RecordedProgram { name: "etcd".to_owned(), pid: 8, log: "/l".into() }],
        };
        record.write(folder.path()).unwrap();
        assert_eq!(Record::read(folder.path()).unwrap(), Some(record));
        Record::remove(folder.path()).unwrap();
        Record::remove(folder.path()).unwrap();
        assert_eq!(Record::read(folder.path()).unwrap(), None);
    }
}
