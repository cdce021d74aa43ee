//! Builds the module with the Go toolchain of this machine, and says every few seconds how far it is.
//! Where the result is kept is `cache`'s business.

use std::{
    io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use super::module;
use crate::{guard::Guard, process::last_lines, progress::Progress};

/// The oldest Go release that compiles the module (its go.mod says so too).
const OLDEST: (u32, u32) = (1, 25);
const LONGEST_BUILD: Duration = Duration::from_secs(3600);
const SAY_EVERY: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(100);

/// Why Go could not build.
#[derive(Debug, thiserror::Error)]
pub enum GoError {
    /// There is no Go at all.
    #[error(
        "etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl were not found, and there is no `go` on PATH to build \
         them with: install Go 1.25 or newer, or set KUBEBUILDER_ASSETS to a folder that has all five"
    )]
    Missing,
    /// There is an old Go.
    #[error(
        "the control plane needs Go 1.25 or newer to be built, and the `go` on PATH is {found}: install a newer one, or set \
         KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl"
    )]
    TooOld {
        /// What `go` says of itself.
        found: String,
    },
    /// Go could not be run.
    #[error("cannot run `go`: {0}")]
    Run(#[source] io::Error),
    /// Go said no.
    #[error(
        "building the control plane with Go failed ({status}); a first build downloads Go modules and needs a way to a module proxy \
         (see `go env GOPROXY`). {} ends with:\n{last_lines}",
        log.display()
    )]
    Failed {
        /// How it ended.
        status: ExitStatus,
        /// All that it printed.
        log: PathBuf,
        /// The end of that.
        last_lines: String,
    },
    /// Go did not come to an end.
    #[error("building the control plane with Go took more than an hour and was ended; see {}", log.display())]
    TooSlow {
        /// All that it printed.
        log: PathBuf,
    },
}

/// Says what is wrong with this machine's Go, if anything is.
pub(super) fn check() -> Result<(), GoError> {
    let mut command = Command::new("go");
    // In a folder without a module: an old Go would complain about the module's version instead of answering.
    command.args(["env", "GOVERSION"]).env("GOTOOLCHAIN", "local").current_dir("/").stdin(Stdio::null());
    let output = command.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => GoError::Missing,
        _ => GoError::Run(error),
    })?;
    let found = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    match release(&found) {
        // A development build has no number; it is newer than any release that matters.
        None if output.status.success() && found.starts_with("devel") => Ok(()),
        Some(release) if release >= OLDEST => Ok(()),
        None | Some(_) => Err(GoError::TooOld { found }),
    }
}

/// `go1.26.8` is (1, 26).
fn release(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.strip_prefix("go")?.split('.');
    let major = numbers.next()?.parse().ok()?;
    // A release candidate reads 26rc1.
    let minor = numbers.next()?;
    let digits = minor.find(|c: char| !c.is_ascii_digit()).unwrap_or(minor.len());
    Some((major, minor[..digits].parse().ok()?))
}

/// Builds the module in `source` into the file `executable`; everything Go prints goes to `log`.
pub(super) async fn build(
    source: &Path,
    executable: &Path,
    log: &Path,
    progress: &dyn Progress,
) -> Result<(), GoError> {
    let guard = Guard::start().map_err(GoError::Run)?;
    let file = std::fs::File::create(log).map_err(GoError::Run)?;
    let mut command = guard.command(Path::new("go"));
    command
        .args(["build", "-v", "-trimpath", "-buildvcs=false", "-ldflags", &linker_flags(), "-o"])
        .arg(executable)
        .arg(".")
        .current_dir(source)
        .envs([
            ("GOTOOLCHAIN", "local"),
            ("GOFLAGS", "-mod=readonly"),
            ("GOWORK", "off"),
            ("CGO_ENABLED", "0"),
        ])
        // Somebody's settings for another machine must not decide what runs on this one.
        .env_remove("GOOS")
        .env_remove("GOARCH")
        .stdout(Stdio::from(file.try_clone().map_err(GoError::Run)?))
        .stderr(Stdio::from(file));
    let mut child = command.spawn().map_err(GoError::Run)?;

    let start = Instant::now();
    let mut said = start;
    loop {
        if let Some(status) = child.try_wait().map_err(GoError::Run)? {
            if status.success() {
                return Ok(());
            }
            return Err(GoError::Failed { status, log: log.to_owned(), last_lines: last_lines(log, 15) });
        }
        if start.elapsed() > LONGEST_BUILD {
            drop(guard);
            let _ = child.wait();
            return Err(GoError::TooSlow { log: log.to_owned() });
        }
        if said.elapsed() >= SAY_EVERY {
            said = Instant::now();
            progress.say(&progress_line(start.elapsed(), &last_lines(log, usize::MAX)));
        }
        tokio::time::sleep(POLL).await;
    }
}

/// Go can't know its own version from a module of ours, and API clients ask for it.
fn linker_flags() -> String {
    let version = module::kubernetes_version();
    let mut numbers = version.trim_start_matches('v').split('.');
    let (major, minor) = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    let variable = "k8s.io/component-base/version";
    format!(
        "-s -w -X {variable}.gitVersion={version} -X {variable}.gitMajor={major} -X {variable}.gitMinor={minor}"
    )
}

fn progress_line(elapsed: Duration, log: &str) -> String {
    let (downloads, compiled): (Vec<_>, Vec<_>) = log.lines().partition(|line| line.starts_with("go: "));
    let what = match (downloads.len(), compiled.len()) {
        // Go prints neither what it finds in its cache nor that it links.
        (0, 0) => "nothing to download or compile so far".to_owned(),
        (modules, 0) => format!("{modules} modules downloaded"),
        (_, packages) => format!("{packages} of at most about {} packages compiled", module::PACKAGES),
    };
    format!(
        "building the control plane: {} min {:02} s, {what}",
        elapsed.as_secs() / 60,
        elapsed.as_secs() % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_versions_are_read() {
        for (version, expected) in [
            ("go1.26.8", Some((1, 26))),
            ("go1.25", Some((1, 25))),
            ("go1.27rc1", Some((1, 27))),
            ("devel go1.28-abc", None),
            ("", None),
        ] {
            assert_eq!(release(version), expected, "{version}");
        }
        assert!(release("go1.9.2").unwrap() < OLDEST);
    }

    #[test]
    fn the_linker_is_told_the_version_that_clients_ask_for() {
        let flags = linker_flags();
        assert!(flags.contains(&format!("version.gitVersion={}", module::kubernetes_version())), "{flags}");
        assert!(flags.contains("version.gitMajor=1 "), "{flags}");
        assert!(flags.ends_with("version.gitMinor=35"), "{flags}");
    }

    #[test]
    fn progress_tells_downloads_from_packages() {
        let downloading = "go: downloading a v1\ngo: downloading b v1\n";
        assert!(
            progress_line(Duration::from_secs(5), downloading).ends_with("0 min 05 s, 2 modules downloaded")
        );
        assert!(
            progress_line(Duration::from_secs(10), "").ends_with("nothing to download or compile so far")
        );
        let compiling = format!("{downloading}internal/cpu\nk8s.io/api/core/v1\nnet\n");
        assert!(
            progress_line(Duration::from_secs(83), &compiling).contains("1 min 23 s, 3 of at most about")
        );
    }

    #[test]
    fn a_missing_go_says_what_to_install_and_what_to_set() {
        let message = GoError::Missing.to_string();
        for part in ["Go 1.25 or newer", "KUBEBUILDER_ASSETS", "kube-controller-manager"] {
            assert!(message.contains(part), "{message}");
        }
    }
}
