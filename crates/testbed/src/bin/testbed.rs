//! `cargo testbed`: a control plane of its own for whoever works on the project.

use std::process::ExitCode;

use clap::Parser;
use millwright_testbed::cli::{Arguments, run};

#[tokio::main]
async fn main() -> ExitCode {
    run(Arguments::parse()).await.unwrap_or_else(|error| {
        eprintln!("testbed: {error}");
        ExitCode::FAILURE
    })
}
