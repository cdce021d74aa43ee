//! The signals that end the process.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGTERM and SIGINT, caught from the moment this is made.
pub(crate) struct EndSignals {
    term: Signal,
    int: Signal,
}

impl EndSignals {
    /// Catches them from now on.
    pub(crate) fn catch() -> io::Result<Self> {
        Ok(Self { term: signal(SignalKind::terminate())?, int: signal(SignalKind::interrupt())? })
    }

    /// Waits for one.
    pub(crate) async fn wait(&mut self) {
        tokio::select! {
            _ = self.term.recv() => tracing::info!("ending on SIGTERM"),
            _ = self.int.recv() => tracing::info!("ending on SIGINT"),
        }
    }
}
