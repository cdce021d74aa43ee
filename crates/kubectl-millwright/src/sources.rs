//! From the arguments to texts with names. Folders are walked in the order of names, hidden ones and links to folders left out; every file
//! is read once, however often it is named.

mod found;

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub(crate) use found::Source;

/// The argument that means the standard input.
const STDIN: &str = "-";
/// How findings name the standard input.
const STDIN_NAME: &str = "<stdin>";
/// More than any file of objects that an API server would take.
const LARGEST: u64 = 64 << 20;
/// What is kept in memory at most.
const LARGEST_SUM: u64 = 512 << 20;
/// A path that is longer is a loop.
const DEEPEST: usize = 64;

/// Why there is nothing to judge.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// It can't be opened or read.
    #[error("{name} can't be read: {error}")]
    Unreadable {
        /// The file.
        name: String,
        /// Why.
        error: io::Error,
    },
    /// It is too large.
    #[error("{name} is larger than {} MiB; give smaller files", LARGEST >> 20)]
    TooLarge {
        /// The file.
        name: String,
    },
    /// All of it is too large.
    #[error("the files have more than {} MiB together; lint them in several runs", LARGEST_SUM >> 20)]
    TooMuch,
    /// A folder without files.
    #[error("there is no file to read below {name}; files end in .yaml, .yml or .json")]
    Empty {
        /// The folder.
        name: String,
    },
}

/// Reads everything that the arguments name.
pub(crate) fn gather(arguments: &[String], stdin: &mut dyn Read) -> Result<Vec<Source>, SourceError> {
    let mut gathering = Gathering { stdin, sources: Vec::new(), seen: BTreeSet::new(), left: LARGEST_SUM };
    for argument in arguments {
        gathering.argument(argument)?;
    }
    Ok(gathering.sources)
}

struct Gathering<'a> {
    stdin: &'a mut dyn Read,
    sources: Vec<Source>,
    seen: BTreeSet<PathBuf>,
    left: u64,
}

impl Gathering<'_> {
    fn argument(&mut self, argument: &str) -> Result<(), SourceError> {
        if argument == STDIN {
            if self.seen.insert(PathBuf::from(STDIN_NAME)) {
                let source = read(STDIN_NAME, &mut *self.stdin)?;
                self.keep(source)?;
            }
            return Ok(());
        }
        let path = Path::new(argument);
        let unreadable = |error| SourceError::Unreadable { name: argument.to_owned(), error };
        if !fs::metadata(path).map_err(unreadable)?.is_dir() {
            return self.file(path);
        }
        match self.folder(path, DEEPEST)? {
            0 => Err(SourceError::Empty { name: argument.to_owned() }),
            _ => Ok(()),
        }
    }

    /// How many files there were.
    fn folder(&mut self, path: &Path, levels: usize) -> Result<usize, SourceError> {
        let unreadable = |error| SourceError::Unreadable { name: path.display().to_string(), error };
        let entries =
            fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(unreadable)?;
        let mut entries: Vec<_> = entries.into_iter().map(|entry| (entry.file_name(), entry)).collect();
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut files = 0;
        for (name, entry) in entries {
            let name = name.to_string_lossy();
            if name.starts_with('.') {
                continue;
            }
            let kind = entry.file_type().map_err(unreadable)?;
            if kind.is_dir() {
                files += if levels > 0 { self.folder(&entry.path(), levels - 1)? } else { 0 };
            } else if is_ours(&name) && entry.path().is_file() {
                self.file(&entry.path())?;
                files += 1;
            }
        }
        Ok(files)
    }

    fn file(&mut self, path: &Path) -> Result<(), SourceError> {
        let name = path.display().to_string();
        let unreadable = |error| SourceError::Unreadable { name: name.clone(), error };
        // A pipe such as /dev/fd/63 has no other name.
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if !self.seen.insert(real) {
            return Ok(());
        }
        let source = read(&name, &mut fs::File::open(path).map_err(unreadable)?)?;
        self.keep(source)
    }

    fn keep(&mut self, source: Source) -> Result<(), SourceError> {
        self.left = self.left.checked_sub(source.length).ok_or(SourceError::TooMuch)?;
        self.sources.push(source);
        Ok(())
    }
}

fn read(name: &str, from: &mut dyn Read) -> Result<Source, SourceError> {
    let mut bytes = Vec::new();
    let read = from.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| SourceError::Unreadable { name: name.to_owned(), error })?;
    if bytes.len() as u64 > LARGEST {
        return Err(SourceError::TooLarge { name: name.to_owned() });
    }
    Ok(Source::new(name, bytes))
}

/// kustomization.yaml tells how objects are made and is none itself.
fn is_ours(name: &str) -> bool {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    ["yaml", "yml", "json"].contains(&ending) && stem != "kustomization"
}
