//! The webhook's process: crypto provider, flags, logs, then [`run`].

use std::process::ExitCode;

use clap::Parser as _;
use millwright_telemetry::start_logs;
use millwright_webhook::{Args, run};

fn main() -> ExitCode {
    // Before anything can ask for a default provider; that another one was first can't be.
    drop(rustls::crypto::ring::default_provider().install_default());
    let args = Args::parse();
    if let Err(error) = start_logs(args.log_format, &args.log_level) {
        eprintln!("error: {error}");
        return ExitCode::FAILURE;
    }
    // Two threads answer thousands of reviews a second; more would only cost memory.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let ended = match runtime {
        Ok(runtime) => runtime.block_on(run(args)).map_err(|error| error.to_string()),
        Err(error) => Err(format!("threads can't be started: {error}")),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}
