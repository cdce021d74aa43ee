//! Starts logging to standard error. Called once, by `main`.

use std::io::{self, IsTerminal};

use tracing_subscriber::fmt;
use tracing_subscriber::prelude::*;

use crate::{LogFilter, LogFormat};

/// Logging was started before; one process has one log.
#[derive(Debug, thiserror::Error)]
#[error("logging was started twice in one process")]
pub struct LogsAlreadyStarted;

/// Writes log lines of the given shape from now on.
///
/// # Errors
/// When it was called before.
pub fn start_logs(format: LogFormat, filter: &LogFilter) -> Result<(), LogsAlreadyStarted> {
    let lines = fmt::layer().with_writer(io::stderr);
    let lines = match format {
        LogFormat::Text => lines.with_ansi(io::stderr().is_terminal()).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    tracing_subscriber::registry()
        .with(lines.with_filter(filter.directives()))
        .try_init()
        .map_err(|_| LogsAlreadyStarted)
}
