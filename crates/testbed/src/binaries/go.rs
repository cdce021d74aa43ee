//! Builds a module with the Go toolchain of this machine, and says every few seconds how far it is.
//! Where the result is kept is `cache`'s business.

use std::{
    io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, setpriority_process};

use super::GoModule;
use crate::{guard::Guard, process::last_lines, progress::Progress};

/// Tests that run beside a build should not notice it.
const NICENESS: i32 = 10;
const LONGEST_BUILD: Duration = Duration::from_secs(3600);
const SAY_EVERY: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(100);

/// Why Go could not build.
#[derive(Debug, thiserror::Error)]
pub enum GoError {
    /// There is no Go at all.
    #[error(
        "{what} must be built, and there is no `go` on PATH to build it with: install Go {}.{} or newer{otherwise}",
        oldest.0,
        oldest.1
    )]
    Missing {
        /// What was to be built.
        what: &'static str,
        /// The oldest release that would do.
        oldest: (u32, u32),
        /// What else helps.
        otherwise: &'static str,
    },
    /// There is an old Go.
    #[error(
        "{what} needs Go {}.{} or newer to be built, and the `go` on PATH is {found}: install a newer one{otherwise}",
        oldest.0,
        oldest.1
    )]
    TooOld {
        /// What was to be built.
        what: &'static str,
        /// The oldest release that would do.
        oldest: (u32, u32),
        /// What else helps.
        otherwise: &'static str,
        /// What `go` says of itself.
        found: String,
    },
    /// Go could not be run.
    #[error("cannot run `go`: {0}")]
    Run(#[source] io::Error),
    /// Go said no.
    #[error(
        "building {what} with Go failed ({status}); a first build downloads Go modules and needs a way to a module proxy \
         (see `go env GOPROXY`). {} ends with:\n{last_lines}",
        log.display()
    )]
    Failed {
        /// What was to be built.
        what: &'static str,
        /// How it ended.
        status: ExitStatus,
        /// All that it printed.
        log: PathBuf,
        /// The end of that.
        last_lines: String,
    },
    /// Go did not come to an end.
    #[error("building {what} with Go took more than an hour and was ended; see {}", log.display())]
    TooSlow {
        /// What was to be built.
        what: &'static str,
        /// All that it printed.
        log: PathBuf,
    },
    /// A required module has no place on this machine.
    #[error("`go list` does not say where the module {path} is, of which {what} needs files: {said}")]
    NotListed {
        /// What was to be built.
        what: &'static str,
        /// The module's path.
        path: &'static str,
        /// What it says instead.
        said: String,
    },
}

/// Says what is wrong with this machine's Go, if anything is.
pub(super) fn check(module: &GoModule) -> Result<(), GoError> {
    let GoModule { what, otherwise, .. } = *module;
    let oldest = module.oldest_go();
    let mut command = Command::new("go");
    // In a folder without a module: an old Go would complain about the module's version instead of answering.
    command.args(["env", "GOVERSION"]).env("GOTOOLCHAIN", "local").current_dir("/").stdin(Stdio::null());
    let output = command.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => GoError::Missing { what, oldest, otherwise },
        _ => GoError::Run(error),
    })?;
    let found = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    match release(&found) {
        // A development build has no number; it is newer than any release that matters.
        None if output.status.success() && found.starts_with("devel") => Ok(()),
        Some(release) if release >= oldest => Ok(()),
        None | Some(_) => Err(GoError::TooOld { what, oldest, otherwise, found }),
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

/// Builds `module`, which lies in `source`, into the file `executable`; everything Go prints goes to `log`.
pub(super) async fn build(
    module: &GoModule,
    source: &Path,
    executable: &Path,
    log: &Path,
    progress: &dyn Progress,
) -> Result<(), GoError> {
    let what = module.what;
    let guard = Guard::start().map_err(GoError::Run)?;
    let file = std::fs::File::create(log).map_err(GoError::Run)?;
    let mut command = guard.command(Path::new("go"));
    command
        .args(["build", "-v", "-trimpath", "-buildvcs=false", "-ldflags", &linker_flags(module), "-o"])
        .arg(executable)
        .arg(".")
        .stdout(Stdio::from(file.try_clone().map_err(GoError::Run)?))
        .stderr(Stdio::from(file));
    let mut child = settled(&mut command, source).spawn().map_err(GoError::Run)?;
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // Where that is forbidden, the build is only less polite.
        let _ = setpriority_process(Some(pid), NICENESS);
    }

    let start = Instant::now();
    let mut said = start;
    loop {
        if let Some(status) = child.try_wait().map_err(GoError::Run)? {
            if status.success() {
                return Ok(());
            }
            let last_lines = last_lines(log, 15);
            return Err(GoError::Failed { what, status, log: log.to_owned(), last_lines });
        }
        if start.elapsed() > LONGEST_BUILD {
            drop(guard);
            let _ = child.wait();
            return Err(GoError::TooSlow { what, log: log.to_owned() });
        }
        if said.elapsed() >= SAY_EVERY {
            said = Instant::now();
            progress.say(&progress_line(module, start.elapsed(), &last_lines(log, usize::MAX)));
        }
        tokio::time::sleep(POLL).await;
    }
}

/// The folder of the module `path`, which `module` requires and a build has downloaded.
pub(super) fn folder_of(module: &GoModule, source: &Path, path: &'static str) -> Result<PathBuf, GoError> {
    let mut command = Command::new("go");
    command.args(["list", "-m", "-f", "{{.Dir}}", path]).stdin(Stdio::null());
    let output = settled(&mut command, source).output().map_err(GoError::Run)?;
    let folder = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    if output.status.success() && folder.is_absolute() {
        return Ok(folder);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(GoError::NotListed { what: module.what, path, said })
}

/// Somebody's settings for another machine or another project must not decide what is built for this one.
fn settled<'a>(go: &'a mut Command, source: &Path) -> &'a mut Command {
    go.current_dir(source)
        .envs([
            ("GOTOOLCHAIN", "local"),
            ("GOFLAGS", "-mod=readonly"),
            ("GOWORK", "off"),
            ("CGO_ENABLED", "0"),
        ])
        .env_remove("GOOS")
        .env_remove("GOARCH")
}

fn linker_flags(module: &GoModule) -> String {
    let variables = (module.variables)(module.version());
    let settings: String =
        variables.iter().map(|(variable, value)| format!(" -X {variable}={value}")).collect();
    format!("-s -w{settings}")
}

fn progress_line(module: &GoModule, elapsed: Duration, log: &str) -> String {
    let (downloads, compiled): (Vec<_>, Vec<_>) = log.lines().partition(|line| line.starts_with("go: "));
    let what = match (downloads.len(), compiled.len()) {
        // Go prints neither what it finds in its cache nor that it links.
        (0, 0) => "nothing to download or compile so far".to_owned(),
        (modules, 0) => format!("{modules} modules downloaded"),
        (_, packages) => format!("{packages} of at most about {} packages compiled", module.packages),
    };
    format!(
        "building {}: {} min {:02} s, {what}",
        module.name,
        elapsed.as_secs() / 60,
        elapsed.as_secs() % 60
    )
}

#[cfg(test)]
mod tests {
    use super::{super::module::tests::SMALL, *};

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
        assert!(release("go1.9.2").unwrap() < SMALL.oldest_go());
    }

    #[test]
    fn the_linker_sets_what_the_module_says_for_its_version() {
        assert_eq!(linker_flags(&SMALL), "-s -w");
        let telling =
            GoModule { variables: |version| vec![("large.version".into(), version.into())], ..SMALL };
        assert_eq!(linker_flags(&telling), "-s -w -X large.version=v1.2.3");
    }

    #[test]
    fn progress_tells_downloads_from_packages() {
        let downloading = "go: downloading a v1\ngo: downloading b v1\n";
        assert!(
            progress_line(&SMALL, Duration::from_secs(5), downloading)
                .ends_with("0 min 05 s, 2 modules downloaded")
        );
        assert!(
            progress_line(&SMALL, Duration::from_secs(10), "")
                .ends_with("nothing to download or compile so far")
        );
        let compiling = format!("{downloading}internal/cpu\nk8s.io/api/core/v1\nnet\n");
        assert!(
            progress_line(&SMALL, Duration::from_secs(83), &compiling)
                .contains("1 min 23 s, 3 of at most about 7 ")
        );
    }

    #[test]
    fn a_missing_go_says_what_to_install_and_what_else_helps() {
        let GoModule { what, otherwise, .. } = SMALL;
        let message = GoError::Missing { what, oldest: SMALL.oldest_go(), otherwise }.to_string();
        assert!(message.starts_with("the small one must be built"), "{message}");
        assert!(message.ends_with("install Go 1.25 or newer, or do without"), "{message}");
    }
}
