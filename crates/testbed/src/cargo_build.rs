//! Builds our own programs with cargo, in plain sight: what cargo prints goes where this process's errors go.
//! Which file came out of it is read from cargo's own messages.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::{checkout, guard::Guard};

/// One of our own programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OurProgram {
    /// The controller.
    Controller,
    /// The webhook.
    Webhook,
    /// The simulated cloud.
    Simcloud,
    /// The plugin of kubectl.
    KubectlPlugin,
}

impl OurProgram {
    /// Its cargo package.
    fn package(self) -> &'static str {
        match self {
            Self::Controller => "millwright-controller",
            Self::Webhook => "millwright-webhook",
            Self::Simcloud => "millwright-simcloud",
            Self::KubectlPlugin => "millwright-kubectl",
        }
    }

    /// The file name of its executable.
    pub fn name(self) -> &'static str {
        match self {
            Self::Controller => "millwright-controller",
            Self::Webhook => "millwright-webhook",
            Self::Simcloud => "simcloud",
            Self::KubectlPlugin => "kubectl-millwright",
        }
    }
}

/// How cargo builds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Quick to build.
    Dev,
    /// As the controller is shipped: fast.
    Release,
    /// As the webhook is shipped: small.
    Small,
}

/// Which clouds the controller can call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clouds {
    /// Only the simulated one, so that no SDK is built.
    Simulated,
    /// All that it is shipped with.
    All,
}

/// The executables of our programs.
pub type Executables = BTreeMap<OurProgram, PathBuf>;

/// Why there is no executable.
#[derive(Debug, thiserror::Error)]
pub enum CargoError {
    /// There is no cargo.
    #[error(
        "`{}` was not found, and {programs} must be built with it: install Rust (https://rustup.rs) and see that cargo is on PATH",
        cargo.display()
    )]
    Missing {
        /// What was called.
        cargo: PathBuf,
        /// What was wanted.
        programs: String,
    },
    /// Cargo could not be run.
    #[error("cannot run `{}`: {source}", cargo.display())]
    Run {
        /// What was called.
        cargo: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Cargo said no.
    #[error(
        "building {programs} failed ({status}): cargo's messages above say why; the same again by itself: {command}"
    )]
    Failed {
        /// What was wanted.
        programs: String,
        /// How cargo ended.
        status: ExitStatus,
        /// What was called, in words that a shell takes.
        command: String,
    },
    /// What was built could not be kept.
    #[error("cannot keep what was built as {}: {source}", file.display())]
    Keep {
        /// Where.
        file: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Cargo succeeded without an executable.
    #[error("cargo built package {package}, but it has no program {name}")]
    NoExecutable {
        /// The package.
        package: &'static str,
        /// The program.
        name: &'static str,
    },
}

/// Builds `programs`, which is quick when nothing has changed. The controller calls the simulated cloud only: the clouds' SDKs
/// take minutes and gigabytes.
pub async fn build(programs: &[OurProgram], profile: Profile) -> Result<Executables, CargoError> {
    build_with(&cargo(), programs, profile, Clouds::Simulated).await
}

/// Builds the controller with every cloud it is shipped with, and gives its executable, which stands beside the one that
/// [`build`] makes, so that neither replaces the other while it runs.
pub async fn build_controller_with_clouds(profile: Profile) -> Result<PathBuf, CargoError> {
    let cargo = cargo();
    let built = build_with(&cargo, &[OurProgram::Controller], profile, Clouds::All).await?;
    let name = OurProgram::Controller.name();
    let missing = CargoError::NoExecutable { package: OurProgram::Controller.package(), name };
    let built = built.get(&OurProgram::Controller).ok_or(missing)?;
    let kept = built.with_file_name(format!("{name}-with-clouds"));
    keep(built, &kept).map_err(|source| CargoError::Keep { file: kept.clone(), source })?;
    Ok(kept)
}

/// A copy that appears whole; one that runs goes on running.
fn keep(built: &Path, kept: &Path) -> io::Result<()> {
    let half = kept.with_extension(format!("{}.half", std::process::id()));
    fs::copy(built, &half)?;
    fs::rename(&half, kept)
}

fn cargo() -> PathBuf {
    // `cargo demo` sets it to the cargo that was called.
    let cargo = std::env::var_os("CARGO").filter(|cargo| !cargo.is_empty());
    PathBuf::from(cargo.unwrap_or_else(|| OsString::from("cargo")))
}

async fn build_with(
    cargo: &Path,
    programs: &[OurProgram],
    profile: Profile,
    clouds: Clouds,
) -> Result<Executables, CargoError> {
    let names = programs.iter().map(|program| program.name()).collect::<Vec<_>>().join(", ");
    let run_error = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => CargoError::Missing { cargo: cargo.to_owned(), programs: names.clone() },
        _ => CargoError::Run { cargo: cargo.to_owned(), source },
    };
    let arguments = arguments(programs, profile, clouds);
    let guard = Guard::start().map_err(run_error)?;
    let mut command = guard.command(cargo);
    command.args(&arguments).arg("--message-format=json-render-diagnostics").current_dir(checkout::root());
    // Cargo tells the program it runs about its package. Build scripts that watch these would all run again.
    for (name, _) in std::env::vars_os().filter(|(name, _)| belongs_to_a_package(&name.to_string_lossy())) {
        command.env_remove(name);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = tokio::process::Command::from(command).spawn().map_err(run_error)?;

    let mut found = BTreeMap::new();
    if let Some(messages) = child.stdout.take() {
        let mut lines = BufReader::new(messages).lines();
        while let Some(line) = lines.next_line().await.map_err(run_error)? {
            found.extend(executable(&line));
        }
    }
    let status = child.wait().await.map_err(run_error)?;
    if !status.success() {
        let command = format!("{} {}", cargo.display(), arguments.join(" "));
        return Err(CargoError::Failed { programs: names, status, command });
    }
    let of = |program: &OurProgram| {
        let missing = CargoError::NoExecutable { package: program.package(), name: program.name() };
        Ok((*program, found.get(program.name()).cloned().ok_or(missing)?))
    };
    programs.iter().map(of).collect()
}

fn arguments(programs: &[OurProgram], profile: Profile, clouds: Clouds) -> Vec<String> {
    let profile = match profile {
        Profile::Dev => None,
        Profile::Release => Some("--profile=release"),
        Profile::Small => Some("--profile=small"),
    };
    let what: Vec<&str> = match clouds {
        Clouds::Simulated => {
            let packages = programs.iter().flat_map(|program| ["--package", program.package()]);
            ["--bins", "--no-default-features"].into_iter().chain(packages).collect()
        }
        // With the whole workspace and a test in it, cargo builds dependencies as `cargo test --workspace` has built them
        // already. A package by itself would have them with other features: minutes and gigabytes of SDKs once more.
        Clouds::All => {
            let programs = programs.iter().flat_map(|program| ["--bin", program.name()]);
            ["--workspace", "--test", "structure"].into_iter().chain(programs).collect()
        }
    };
    ["build"].into_iter().chain(profile).chain(what).map(str::to_owned).collect()
}

/// Whether cargo sets a variable of that name for the program that it runs.
fn belongs_to_a_package(name: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
        || name == "OUT_DIR"
}

/// The name and the file of the program that a message of cargo's is about, if it is about one.
fn executable(message: &str) -> Option<(String, PathBuf)> {
    let message: Value = serde_json::from_str(message).ok()?;
    let is_program = message["reason"] == "compiler-artifact"
        && message["target"]["kind"].as_array()?.iter().any(|kind| kind == "bin");
    let file = message["executable"].as_str().filter(|_| is_program)?;
    Some((message["target"]["name"].as_str()?.to_owned(), PathBuf::from(file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_in_cargos_messages_and_nothing_else_is() {
        let program = r#"{"reason":"compiler-artifact","target":{"kind":["bin"],"name":"simcloud"},"executable":"/t/simcloud"}"#;
        assert_eq!(executable(program), Some(("simcloud".to_owned(), PathBuf::from("/t/simcloud"))));
        for other in [
            r#"{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"x"},"executable":null}"#,
            r#"{"reason":"compiler-artifact","target":{"kind":["test"],"name":"x"},"executable":"/t/x"}"#,
            r#"{"reason":"build-finished","success":true}"#,
            "warning: not JSON",
        ] {
            assert_eq!(executable(other), None, "{other}");
        }
    }

    #[test]
    fn packages_and_profile_are_passed_on() {
        let programs = [OurProgram::Simcloud, OurProgram::Webhook];
        let dev = arguments(&programs, Profile::Dev, Clouds::Simulated).join(" ");
        assert!(dev.ends_with("--package millwright-simcloud --package millwright-webhook"), "{dev}");
        assert!(!dev.contains("--profile"));
        assert!(
            arguments(&[OurProgram::Simcloud], Profile::Release, Clouds::All)
                .contains(&"--profile=release".to_owned())
        );
    }

    #[test]
    fn no_sdk_is_built_unless_the_clouds_are_asked_for() {
        let without = "--no-default-features".to_owned();
        let without_any = arguments(&[OurProgram::Controller], Profile::Dev, Clouds::Simulated);
        assert!(without_any.contains(&without), "{without_any:?}");
        let with_all = arguments(&[OurProgram::Controller], Profile::Dev, Clouds::All).join(" ");
        assert_eq!(with_all, "build --workspace --test structure --bin millwright-controller");
    }

    #[test]
    fn what_is_kept_replaces_what_was_kept_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let (built, kept) = (folder.path().join("program"), folder.path().join("program-with-clouds"));
        for text in ["old", "new"] {
            fs::write(&built, text).unwrap();
            keep(&built, &kept).unwrap();
            assert_eq!(fs::read_to_string(&kept).unwrap(), text);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn what_cargo_says_about_a_package_is_not_handed_on() {
        assert!(belongs_to_a_package("CARGO_MANIFEST_DIR") && belongs_to_a_package("CARGO_PKG_VERSION"));
        assert!(!belongs_to_a_package("CARGO_TARGET_DIR") && !belongs_to_a_package("CARGO_HOME"));
    }

    #[tokio::test]
    async fn a_missing_cargo_says_what_to_install() {
        let outcome =
            build_with(Path::new("/none/cargo"), &[OurProgram::Webhook], Profile::Dev, Clouds::Simulated)
                .await;
        let message = outcome.err().unwrap().to_string();
        for part in ["/none/cargo", "millwright-webhook", "https://rustup.rs"] {
            assert!(message.contains(part), "{message}");
        }
    }

    #[tokio::test]
    async fn a_failed_build_says_how_to_repeat_it() {
        let outcome =
            build_with(Path::new("false"), &[OurProgram::Controller], Profile::Release, Clouds::All).await;
        let message = outcome.err().unwrap().to_string();
        assert!(message.contains("--bin millwright-controller"), "{message}");
        assert!(message.contains("exit status: 1"), "{message}");
    }
}
