//! `clouds`: hands over to the program of tests/clouds, which is built for that alone, so that nobody else waits for it.

use std::{
    ffi::OsString,
    os::unix::process::CommandExt,
    process::{Command, ExitCode},
};

use clap::Args;

use super::CliError;
use crate::checkout;

/// What the program of tests/clouds is called with.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(super) struct CloudsArguments {
    /// install, up, down, status, env or serve, with their options
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "VERB")]
    arguments: Vec<OsString>,
}

/// Returns only when it could not be called: that program takes the place of this one, and gets its signals.
pub(super) fn clouds(arguments: CloudsArguments) -> Result<ExitCode, CliError> {
    // `cargo testbed` sets it to the cargo that was called.
    let cargo = std::env::var_os("CARGO").filter(|cargo| !cargo.is_empty());
    let cargo = cargo.unwrap_or_else(|| OsString::from("cargo"));
    let manifest = checkout::root().join("Cargo.toml");
    let mut command = Command::new(&cargo);
    command.args(["run", "--quiet", "--package", "millwright-clouds", "--bin", "clouds", "--manifest-path"]);
    command.arg(manifest).arg("--").args(arguments.arguments);
    Err(CliError::file("start", cargo)(command.exec()))
}
