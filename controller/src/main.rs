//! The controller's process: crypto provider, flags, logs, then [`run`].

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser as _;
use millwright_cloud_http::{CloudAccess, HttpClient};
use millwright_controller::{Args, linked_providers, run};
use millwright_telemetry::start_logs;

fn main() -> ExitCode {
    // Before anything can ask for a default provider; that another one was first can't be.
    drop(rustls::crypto::ring::default_provider().install_default());
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(told) => {
            drop(told.print()); // nowhere else to say it
            return ExitCode::from(u8::from(told.use_stderr()));
        }
    };
    let Err(error) = start(args) else { return ExitCode::SUCCESS };
    if tracing::dispatcher::has_been_set() {
        tracing::error!("{error}");
    } else {
        eprintln!("error: {error}");
    }
    ExitCode::FAILURE
}

fn start(args: Args) -> Result<(), Box<dyn std::error::Error>> {
    let access = CloudAccess::over(Arc::new(HttpClient::new()?));
    // Only their names are asked for here; those that work get what the flags say.
    let config = args.check(&linked_providers(access.clone())?)?;
    start_logs(config.logs.format, &config.logs.filter)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(run(config, access, linked_providers));
    // A look-up of a name that hangs must not hold up the end: the lease may be somebody else's by now.
    runtime.shutdown_timeout(Duration::from_secs(1));
    Ok(ended?)
}
