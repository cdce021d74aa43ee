//! The order of events: build, ask directly, ask through an API server, report.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Instant,
};

use super::{
    arguments::WebhookBenchArguments, direct, error::WebhookBenchError, report::Report, started::Program,
    through,
};
use crate::{
    cargo_build::{OurProgram, Profile, build},
    checkout,
    cli::{CliError, Ownership, Record},
    end_request::EndRequest,
    screen::Screen,
};

/// Measures, prints the tables and writes the file.
pub(crate) async fn run(arguments: &WebhookBenchArguments) -> Result<ExitCode, WebhookBenchError> {
    let screen = Arc::new(Screen::stdout());
    let mut request = EndRequest::listen().map_err(CliError::Signals)?;
    let folder = arguments.dir.clone().unwrap_or_else(|| checkout::target().join("bench-webhook"));
    let folder = std::path::absolute(&folder).map_err(WebhookBenchError::file("find", folder))?;
    std::fs::create_dir_all(&folder).map_err(WebhookBenchError::file("create", &folder))?;
    let _ownership = Ownership::take(&folder)?;
    Record::remove(&folder)?;
    // What is dropped half-way takes with it what it has started.
    let report = tokio::select! {
        measured = Box::pin(measure(arguments, &folder, &screen)) => measured?,
        () = request.received() => return Err(WebhookBenchError::Interrupted),
    };
    screen.title("Result");
    screen.text(&report.tables());
    if let Some(path) = &arguments.json {
        report.write(path)?;
        screen.text(&format!("written to {}", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

async fn measure(
    arguments: &WebhookBenchArguments,
    folder: &Path,
    screen: &Arc<Screen>,
) -> Result<Report, WebhookBenchError> {
    screen.title("Preparing");
    let executable = match &arguments.executable {
        Some(executable) => executable.clone(),
        None => built(screen).await?,
    };
    screen.title("Asking the webhook");
    let program = Program::new(&executable, folder, &arguments.webhook_flags)?;
    let direct = direct::measure(&program, arguments, screen).await?;
    if arguments.creations == 0 {
        return Ok(Report { direct, through: None });
    }
    screen.title("Creating through an API server");
    let through = through::measure(&executable, folder, arguments.creations, screen).await?;
    Ok(Report { direct, through: Some(through) })
}

async fn built(screen: &Screen) -> Result<PathBuf, WebhookBenchError> {
    let begun = Instant::now();
    screen.text("building the webhook as it is shipped; the first time takes minutes");
    // Alone: with others in one build it would get the features that only they need.
    let executables = build(&[OurProgram::Webhook], Profile::Small).await?;
    screen.seen("the webhook is built", begun.elapsed());
    Ok(executables[&OurProgram::Webhook].clone())
}
