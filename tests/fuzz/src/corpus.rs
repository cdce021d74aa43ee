//! What mutation begins with: reviews in files, and words that mean something to the webhook.

use std::io;
use std::path::{Path, PathBuf};

/// Inputs and words.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    /// Bodies.
    pub inputs: Vec<Vec<u8>>,
    /// Words to put anywhere.
    pub words: Vec<String>,
}

/// Why there is nothing to begin with.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// A file or folder can't be read.
    #[error("{}: {reason}; --corpus must be a folder with reviews and the file dictionary.txt beside it", path.display())]
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// The system's reason.
        reason: io::Error,
    },
    /// There is no input.
    #[error("{} holds no file; put at least one review there", path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
    },
}

impl Corpus {
    /// The folder in this crate.
    #[must_use]
    pub fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
    }

    /// Every file of a folder, and the words of the file `dictionary.txt` beside it.
    ///
    /// # Errors
    /// When one of them can't be read or there is none.
    pub fn read(folder: &Path) -> Result<Self, CorpusError> {
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            move |reason| CorpusError::Unreadable { path, reason }
        };
        let entries = std::fs::read_dir(folder).map_err(unreadable(folder))?;
        let mut files: Vec<PathBuf> = Vec::new();
        for entry in entries {
            files.push(entry.map_err(unreadable(folder))?.path());
        }
        // In an order that does not depend on the disk, so that a seed repeats a run.
        files.sort();
        let mut inputs = Vec::new();
        for file in files {
            inputs.push(std::fs::read(&file).map_err(unreadable(&file))?);
        }
        if inputs.is_empty() {
            return Err(CorpusError::Empty { path: folder.to_owned() });
        }
        let dictionary = folder.with_file_name("dictionary.txt");
        let words = std::fs::read_to_string(&dictionary).map_err(unreadable(&dictionary))?;
        let words = words.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
        Ok(Self { inputs, words })
    }
}
