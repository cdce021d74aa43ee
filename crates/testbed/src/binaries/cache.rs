//! Keeps what was built from Go modules outside of the source tree, so that it survives `cargo clean` and serves every clone.
//! A folder of the cache is whole or not there: it is built under another name, and by one process at a time.

use std::{
    ffi::OsString,
    fs::{File, TryLockError},
    io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::{BinariesError, GoModule, go};
use crate::progress::Progress;

const LONGEST_WAIT: Duration = Duration::from_secs(3600);
const SAY_EVERY: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(200);

/// Why the cache can't be used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// Nothing says where it is.
    #[error(
        "no place to keep what is built from Go modules: set MILLWRIGHT_CACHE to an absolute path (XDG_CACHE_HOME and HOME are not set either)"
    )]
    NoPlace,
    /// The disk says no.
    #[error("cannot {action} {} in the cache of what is built from Go modules: {source}; set MILLWRIGHT_CACHE to use another place", path.display())]
    Disk {
        /// What was tried.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Another build does not end.
    #[error("another build from a Go module has been running for an hour; it holds {}", lock.display())]
    Occupied {
        /// The lock's file.
        lock: PathBuf,
    },
}

fn disk<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> CacheError + 'a {
    move |source| CacheError::Disk { action, path: path.to_owned(), source }
}

/// The cache's folder, from what the environment says.
pub(super) fn folder(environment: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, CacheError> {
    let named = |name: &str| environment(name).map(PathBuf::from).filter(|path| path.is_absolute());
    named("MILLWRIGHT_CACHE")
        .or_else(|| named("XDG_CACHE_HOME").map(|cache| cache.join("millwright")))
        .or_else(|| named("HOME").map(|home| home.join(".cache/millwright")))
        .ok_or(CacheError::NoPlace)
}

/// The folder of the built programs; builds them when they are not there.
pub(super) async fn ensure_built(
    module: &GoModule,
    cache: &Path,
    progress: &dyn Progress,
) -> Result<PathBuf, BinariesError> {
    let built = cache.join(module.key());
    if built.exists() {
        return Ok(built);
    }
    go::check(module)?;
    std::fs::create_dir_all(cache).map_err(disk("create", cache))?;
    let _lock = lock(&cache.join("build.lock"), progress).await?;
    // Whoever held the lock before may have built the same.
    if built.exists() {
        return Ok(built);
    }

    progress.say(&format!(
        "building {} {} from Go modules; about {} on 2 cores, once (kept in {})",
        module.what,
        module.version(),
        module.takes,
        built.display()
    ));
    let start = Instant::now();
    let partial = cache.join(format!("{}.partial", module.key()));
    build_in(module, &partial, progress).await?;
    std::fs::rename(&partial, &built).map_err(disk("rename", &partial))?;
    progress.say(&format!("{} is built after {} s", module.name, start.elapsed().as_secs()));
    Ok(built)
}

async fn build_in(module: &GoModule, folder: &Path, progress: &dyn Progress) -> Result<(), BinariesError> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(disk("remove", folder)(error).into());
        }
        Ok(()) | Err(_) => {}
    }
    let source = folder.join("source");
    std::fs::create_dir_all(&source).map_err(disk("create", &source))?;
    module.write_to(&source).map_err(disk("write", &source))?;
    go::build(module, &source, &folder.join(module.name), &folder.join("build.log"), progress).await?;
    for program in module.programs {
        let link = folder.join(program);
        symlink(module.name, &link).map_err(disk("link", &link))?;
    }
    for (path, below) in module.folders {
        let from = go::folder_of(module, &source, path)?.join(below);
        let to = folder.join(from.file_name().unwrap_or_default());
        copy(&from, &to).map_err(disk("copy", &from))?;
    }
    Ok(())
}

/// Without the modes: Go's own files can't be written.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::create_dir(to)?;
    for entry in std::fs::read_dir(from)? {
        let (entry, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        if entry.is_dir() {
            copy(&entry, &to.join(name))?;
        } else {
            std::fs::write(to.join(name), std::fs::read(entry)?)?;
        }
    }
    Ok(())
}

/// Waits for the lock; it is given back when the file is closed, at the latest when the process ends.
async fn lock(path: &Path, progress: &dyn Progress) -> Result<File, CacheError> {
    let file = File::create(path).map_err(disk("create", path))?;
    let start = Instant::now();
    let mut said: Option<Instant> = None;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(source)) => return Err(disk("lock", path)(source)),
            Err(TryLockError::WouldBlock) if start.elapsed() > LONGEST_WAIT => {
                return Err(CacheError::Occupied { lock: path.to_owned() });
            }
            Err(TryLockError::WouldBlock) => {}
        }
        if said.is_none_or(|said| said.elapsed() >= SAY_EVERY) {
            said = Some(Instant::now());
            progress.say(&format!(
                "another build from a Go module is running, waiting for its end: {} s",
                start.elapsed().as_secs()
            ));
        }
        tokio::time::sleep(POLL).await;
    }
}

#[cfg(test)]
mod tests {
    use std::{
        os::unix::fs::PermissionsExt,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
    };

    use super::*;

    fn folder_of(variables: &[(&str, &str)]) -> Option<PathBuf> {
        folder(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())).ok()
    }

    #[test]
    fn our_own_variable_comes_first_then_the_users_cache_then_home() {
        let all = [("MILLWRIGHT_CACHE", "/m"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")];
        assert_eq!(folder_of(&all), Some("/m".into()));
        assert_eq!(folder_of(&all[1..]), Some("/x/millwright".into()));
        assert_eq!(folder_of(&all[2..]), Some("/h/.cache/millwright".into()));
        assert_eq!(folder_of(&[]), None);
    }

    #[test]
    fn a_relative_place_is_no_place() {
        assert_eq!(
            folder_of(&[("MILLWRIGHT_CACHE", "cache"), ("HOME", "/h")]),
            Some("/h/.cache/millwright".into())
        );
    }

    #[test]
    fn a_copy_has_every_file_and_can_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        std::fs::create_dir_all(from.join("below")).unwrap();
        std::fs::write(from.join("below/file"), "text").unwrap();
        std::fs::set_permissions(from.join("below/file"), std::fs::Permissions::from_mode(0o444)).unwrap();
        copy(&from, &to).unwrap();
        assert_eq!(std::fs::read_to_string(to.join("below/file")).unwrap(), "text");
        let mode = std::fs::metadata(to.join("below/file")).unwrap().permissions().mode();
        assert_eq!(mode & 0o200, 0o200, "{mode:o}");
    }

    #[derive(Default)]
    struct Counter(AtomicUsize);

    impl Progress for Counter {
        fn say(&self, _: &str) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[tokio::test]
    async fn a_second_builder_says_that_it_waits_and_goes_on_when_the_first_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("build.lock");
        let first = lock(&path, &Counter::default()).await.unwrap();
        let waiting = Arc::new(Counter::default());
        let second = tokio::spawn({
            let (path, waiting) = (path.clone(), waiting.clone());
            async move { lock(&path, &*waiting).await.is_ok() }
        });
        while waiting.0.load(Ordering::SeqCst) == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(!second.is_finished());
        drop(first);
        assert!(second.await.unwrap());
    }
}
