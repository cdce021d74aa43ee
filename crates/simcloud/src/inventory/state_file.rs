//! The state file: one JSON list of records a line, appended, compacted when it is opened.
//!
//! It holds private keys and user data, so only its owner may read it. A torn last line (the
//! process died while writing) is dropped: its call was never answered. Anything else that does
//! not parse is an error, because going on would forget machines that exist.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::record::Record;

/// Why the state file cannot be used.
#[derive(Debug, Error)]
pub enum StateFileError {
    /// The file or its folder cannot be read or written.
    #[error(
        "state file {path}: {action}: {source}; give --state a file in a folder that this user may write"
    )]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// A line is not a list of records.
    #[error(
        "state file {path}, line {line}: {source}; restore the file, or move it away to start with an empty cloud"
    )]
    Garbage {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What the parser said.
        source: serde_json::Error,
    },
}

#[derive(Debug)]
pub(super) struct StateFile {
    path: PathBuf,
    file: File,
    /// Where the next line goes; a failed write must not leave half a line in front of it.
    end: u64,
}

/// All records of the file, in order; none when there is no file yet.
pub(super) fn read(path: &Path) -> Result<Vec<Record>, StateFileError> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(io_error(path, "read it", source)),
    };
    let mut records = Vec::new();
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    for (index, line) in lines.iter().enumerate() {
        match serde_json::from_slice::<Vec<Record>>(line) {
            Ok(of_line) => records.extend(of_line),
            Err(_) if index + 1 == lines.len() && !line.ends_with(b"\n") => {
                tracing::warn!(path = %path.display(), "dropped a last line that was not written to its end");
            }
            Err(source) => {
                return Err(StateFileError::Garbage { path: path.to_owned(), line: index + 1, source });
            }
        }
    }
    Ok(records)
}

impl StateFile {
    /// Replaces the file by these records, in one step, and keeps it open for more.
    pub(super) fn rewrite(path: &Path, records: &[Record]) -> Result<Self, StateFileError> {
        let mut text = Vec::new();
        for record in records {
            line(&mut text, std::slice::from_ref(record))
                .map_err(|error| io_error(path, "write it", error))?;
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // A temporary file has mode 0600 from its first moment and keeps it when it gets its name.
        let mut file = tempfile::NamedTempFile::new_in(folder)
            .map_err(|error| io_error(path, "make a file beside it", error))?;
        file.write_all(&text).map_err(|error| io_error(path, "write a file beside it", error))?;
        file.as_file().sync_all().map_err(|error| io_error(path, "write a file beside it", error))?;
        file.persist(path).map_err(|error| io_error(path, "replace it", error.error))?;
        let file = OpenOptions::new()
            .write(true)
            .mode(0o600)
            .open(path)
            .map_err(|error| io_error(path, "open it", error))?;
        Ok(Self { path: path.to_owned(), file, end: text.len() as u64 })
    }

    /// Appends one line that holds all of these records or, when that fails, none of them.
    pub(super) fn append(&mut self, records: &[Record]) -> Result<(), StateFileError> {
        let mut text = Vec::new();
        line(&mut text, records)
            .and_then(|()| self.file.write_all_at(&text, self.end))
            .map_err(|error| io_error(&self.path, "append to it", error))?;
        self.end += text.len() as u64;
        Ok(())
    }
}

fn line(text: &mut Vec<u8>, records: &[Record]) -> io::Result<()> {
    serde_json::to_writer(&mut *text, records)?;
    text.push(b'\n');
    Ok(())
}

fn io_error(path: &Path, action: &'static str, source: io::Error) -> StateFileError {
    StateFileError::Io { path: path.to_owned(), action, source }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn gone(id: &str) -> Record {
        Record::VmGone { id: id.to_owned() }
    }

    #[test]
    fn what_was_appended_is_read_back_and_only_the_owner_may_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.jsonl");
        assert_eq!(read(&path).unwrap(), []);
        let mut file = StateFile::rewrite(&path, &[gone("i-1")]).unwrap();
        file.append(&[gone("i-2"), gone("i-3")]).unwrap();
        assert_eq!(read(&path).unwrap(), [gone("i-1"), gone("i-2"), gone("i-3")]);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_torn_last_line_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.jsonl");
        StateFile::rewrite(&path, &[gone("i-1")]).unwrap();
        let mut text = std::fs::read(&path).unwrap();
        text.extend_from_slice(br#"[{"record":"vmGo"#);
        std::fs::write(&path, text).unwrap();
        assert_eq!(read(&path).unwrap(), [gone("i-1")]);
    }

    #[test]
    fn garbage_in_the_middle_is_an_error_that_names_the_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.jsonl");
        std::fs::write(&path, "[]\nhello\n[]\n").unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
    }

    #[test]
    fn a_folder_that_does_not_exist_is_an_error_that_names_the_flag() {
        let error = StateFile::rewrite(Path::new("/nonexistent/state.jsonl"), &[]).unwrap_err().to_string();
        assert!(error.contains("/nonexistent/state.jsonl") && error.contains("--state"), "{error}");
    }
}
