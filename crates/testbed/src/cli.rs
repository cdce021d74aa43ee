//! The verbs of `cargo testbed`: a control plane that stays up after the command has ended. One file for each verb;
//! `bench` and `bench-webhook` have folders of their own.

mod clouds;
mod down;
mod error;
mod leftovers;
mod ownership;
mod place;
mod record;
mod serve;
mod status;
mod up;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::{
    bench::{self, BenchArguments},
    bench_webhook::{self, WebhookBenchArguments},
};

pub use self::{error::CliError, place::Place};
pub(crate) use self::{ownership::Ownership, record::Record};

/// A real Kubernetes control plane on this machine.
#[derive(Debug, Parser)]
#[command(name = "testbed", bin_name = "cargo testbed")]
pub struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Start a control plane, empty; it stays up until `down`.
    Up(Place),
    /// End it.
    Down(Place),
    /// Say what runs and how to reach it; the exit code is 1 when nothing does.
    Status(Place),
    /// Measure what the controller costs for many machines.
    Bench(BenchArguments),
    /// Measure what a review costs.
    BenchWebhook(WebhookBenchArguments),
    /// Install and run stand-ins for clouds: `cargo testbed clouds help` tells more.
    Clouds(clouds::CloudsArguments),
    /// Start a control plane and stay with it until SIGTERM or Ctrl-C.
    Serve(Place),
}

/// Does what the command line asks for.
pub async fn run(arguments: Arguments) -> Result<ExitCode, CliError> {
    match arguments.verb {
        Verb::Up(place) => up::up(&place).await,
        Verb::Down(place) => down::down(&place).await,
        Verb::Status(place) => status::status(&place),
        Verb::Bench(arguments) => {
            Box::pin(bench::run(&arguments)).await.map_err(|error| CliError::Bench(Box::new(error)))
        }
        Verb::BenchWebhook(arguments) => Box::pin(bench_webhook::run(&arguments))
            .await
            .map_err(|error| CliError::BenchWebhook(Box::new(error))),
        Verb::Clouds(arguments) => clouds::clouds(arguments),
        Verb::Serve(place) => serve::serve(&place).await,
    }
}
