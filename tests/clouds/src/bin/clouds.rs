//! `cargo testbed clouds`: installs the stand-ins for clouds and runs them for whoever works on a provider.

use std::process::ExitCode;

use clap::Parser;
use millwright_clouds::cli::{Arguments, run};

#[tokio::main]
async fn main() -> ExitCode {
    run(Arguments::parse()).await.unwrap_or_else(|error| {
        eprintln!("clouds: {error}");
        ExitCode::FAILURE
    })
}
