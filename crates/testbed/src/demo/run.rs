//! From the flags to the exit code: the story between a folder of its own and the end of everything that was started.

use std::{path::PathBuf, process::ExitCode, sync::Arc, time::Instant};

use super::{
    arguments::Arguments,
    error::DemoError,
    farewell::{invitation, summary},
    stage::Stage,
    steps::tell,
};
use crate::{
    checkout,
    cli::{CliError, Ownership, Record},
    end_request::EndRequest,
    process::Ended,
    screen::Screen,
};

/// Runs the demo; says on standard error what went wrong, if something did.
pub async fn run(arguments: Arguments) -> ExitCode {
    let screen = Arc::new(Screen::stdout());
    match perform(arguments, &screen).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            screen.title(match error {
                DemoError::Interrupted => "The demo is over",
                _ => "The demo failed",
            });
            eprintln!("demo: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn perform(arguments: Arguments, screen: &Arc<Screen>) -> Result<(), DemoError> {
    let Arguments { exit, dir } = arguments;
    let start = Instant::now();
    let mut request = EndRequest::listen().map_err(CliError::Signals)?;
    let folder = folder(dir)?;
    let _ownership = Ownership::take(&folder)?;
    Record::remove(&folder)?;

    // A start that is dropped half-way takes with it what it has started.
    let stage = tokio::select! {
        set = Box::pin(Stage::set(&folder, screen)) => set?,
        () = request.received() => return Err(DemoError::Interrupted),
    };
    stage.record().write(&folder)?;
    let mut outcome = tokio::select! {
        told = Box::pin(tell(&stage)) => told.map(|told| {
            screen.title("Every step was seen to happen");
            screen.text(&summary(&told, start.elapsed()));
        }),
        () = request.received() => Err(DemoError::Interrupted),
    };
    if outcome.is_ok() && !exit {
        screen.title("Everything stays up until Ctrl-C. To use it from another terminal:");
        screen.text(&invitation(&stage));
        outcome = tokio::select! {
            ended = ended(&stage) => Err(ended.into()),
            () = request.received() => Ok(()),
        };
    }
    stage.strike().await;
    Record::remove(&folder)?;
    outcome
}

fn folder(dir: Option<PathBuf>) -> Result<PathBuf, DemoError> {
    let folder = dir.unwrap_or_else(|| checkout::target().join("demo"));
    let folder = std::path::absolute(&folder).map_err(DemoError::file("find", folder))?;
    std::fs::create_dir_all(&folder).map_err(DemoError::file("create", &folder))?;
    Ok(folder)
}

/// Returns when a program has ended that should not have.
async fn ended(stage: &Stage) -> Ended {
    loop {
        if let Some(ended) = stage.first_ended() {
            return ended;
        }
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    }
}
