//! The signals that end the process.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Cancels `end` at SIGTERM or SIGINT, and returns at the second one: whoever asks twice does not want to wait.
///
/// # Errors
/// When the system gives no signals.
pub(crate) async fn cancel_on_signals(end: CancellationToken) -> io::Result<()> {
    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    for last in [false, true] {
        let name = tokio::select! {
            _ = term.recv() => "SIGTERM",
            _ = int.recv() => "SIGINT",
        };
        if last {
            tracing::warn!("ending at once on a second {name}; leases stay until they run out");
        } else {
            tracing::info!("ending on {name}");
            end.cancel();
        }
    }
    Ok(())
}
