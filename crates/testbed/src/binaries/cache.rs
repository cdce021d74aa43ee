//! Keeps a built control plane outside of the source tree, so that it survives `cargo clean` and serves every clone.
//! A folder of the cache is whole or not there: it is built under another name, and by one process at a time.

use std::{
    ffi::OsString,
    fs::{File, TryLockError},
    io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::{BinariesError, go, module};
use crate::{program::Program, progress::Progress};

const EXECUTABLE: &str = "controlplane";
const LONGEST_WAIT: Duration = Duration::from_secs(3600);
const SAY_EVERY: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(200);

/// Why the cache can't be used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// Nothing says where it is.
    #[error(
        "no place to keep the built control plane: set MILLWRIGHT_CACHE to an absolute path (XDG_CACHE_HOME and HOME are not set either)"
    )]
    NoPlace,
    /// The disk says no.
    #[error("cannot {action} {} in the cache of built control planes: {source}; set MILLWRIGHT_CACHE to use another place", path.display())]
    Disk {
        /// What was tried.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Another build does not end.
    #[error("another process has been building the control plane for an hour; it holds {}", lock.display())]
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
pub(super) async fn ensure_built(cache: &Path, progress: &dyn Progress) -> Result<PathBuf, BinariesError> {
    let built = cache.join(module::key());
    if built.exists() {
        return Ok(built);
    }
    go::check()?;
    std::fs::create_dir_all(cache).map_err(disk("create", cache))?;
    let _lock = lock(&cache.join("build.lock"), progress).await?;
    // Whoever held the lock before may have built the same.
    if built.exists() {
        return Ok(built);
    }

    progress.say(&format!(
        "building etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl {} from Go modules; about 6 minutes on \
         2 cores, once (kept in {})",
        module::kubernetes_version(),
        built.display()
    ));
    let start = Instant::now();
    let partial = cache.join(format!("{}.partial", module::key()));
    build_in(&partial, progress).await?;
    std::fs::rename(&partial, &built).map_err(disk("rename", &partial))?;
    progress.say(&format!("the control plane is built after {} s", start.elapsed().as_secs()));
    Ok(built)
}

async fn build_in(folder: &Path, progress: &dyn Progress) -> Result<(), BinariesError> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(disk("remove", folder)(error).into());
        }
        Ok(()) | Err(_) => {}
    }
    let source = folder.join("source");
    std::fs::create_dir_all(&source).map_err(disk("create", &source))?;
    module::write_to(&source).map_err(disk("write", &source))?;
    go::build(&source, &folder.join(EXECUTABLE), &folder.join("build.log"), progress).await?;
    for program in Program::ALL {
        let link = folder.join(program.name());
        symlink(EXECUTABLE, &link).map_err(disk("link", &link))?;
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
                "another process is building the control plane, waiting for it: {} s",
                start.elapsed().as_secs()
            ));
        }
        tokio::time::sleep(POLL).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
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
