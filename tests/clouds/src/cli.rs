//! The verbs of `cargo testbed clouds`. Tests start stand-ins of their own; these are for people and scripts.

mod down;
mod env;
mod error;
mod install;
mod place;
mod serve;
mod status;
mod up;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use self::{error::CliError, place::Place};

/// Stand-ins for clouds on this machine.
#[derive(Debug, Parser)]
#[command(name = "clouds", bin_name = "cargo testbed clouds")]
pub struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Install what stand-ins need from Python packages, at pinned versions; quick when it is there.
    Install,
    /// Start Moto and OpenStack, empty; they stay up until `down`.
    Up(Place),
    /// End them.
    Down(Place),
    /// Say what is installed and what runs; the exit code is 1 when nothing runs.
    Status(Place),
    /// Print the environment variables with which AWS's and OpenStack's own clients find what runs.
    Env(Place),
    /// Start Moto and OpenStack and stay with them until SIGTERM or Ctrl-C.
    Serve(Place),
}

/// Does what the command line asks for.
pub async fn run(arguments: Arguments) -> Result<ExitCode, CliError> {
    match arguments.verb {
        Verb::Install => install::install().await,
        Verb::Up(place) => up::up(&place).await,
        Verb::Down(place) => down::down(&place).await,
        Verb::Status(place) => status::status(&place),
        Verb::Env(place) => env::env(&place),
        Verb::Serve(place) => serve::serve(&place).await,
    }
}
