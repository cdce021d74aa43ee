//! The signals that end the process.

use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// Waits for SIGTERM or SIGINT.
///
/// # Errors
/// When the system gives no signals.
pub(crate) async fn asked_to_end() -> io::Result<()> {
    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::select! {
        _ = term.recv() => tracing::info!("ending on SIGTERM"),
        _ = int.recv() => tracing::info!("ending on SIGINT"),
    }
    Ok(())
}
