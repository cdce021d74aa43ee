//! The signals that ask a process to end: SIGTERM, and Ctrl-C.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Holds the place of the default, which would end the process at once; listen before anything is started.
pub(crate) struct EndRequest {
    terminate: Signal,
    interrupt: Signal,
}

impl EndRequest {
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    pub(crate) async fn received(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
