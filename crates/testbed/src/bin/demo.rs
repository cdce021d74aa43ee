//! `cargo demo`: from an empty machine to nodes in a real Kubernetes API, told step by step.

use std::process::ExitCode;

use clap::Parser;
use millwright_testbed::demo::{Arguments, run};

#[tokio::main]
async fn main() -> ExitCode {
    run(Arguments::parse()).await
}
