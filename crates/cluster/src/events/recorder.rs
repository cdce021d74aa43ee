//! The end that controllers hold.

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::{EventMetrics, EventNote};

/// Takes notes. Cheap to clone.
#[derive(Clone, Debug)]
pub struct EventRecorder {
    sender: mpsc::Sender<Noted>,
    metrics: EventMetrics,
}

/// A note with the time at which it was taken.
#[derive(Debug)]
pub(super) struct Noted {
    pub(super) note: EventNote,
    pub(super) at: Instant,
}

impl EventRecorder {
    pub(super) fn new(sender: mpsc::Sender<Noted>, metrics: EventMetrics) -> Self {
        Self { sender, metrics }
    }

    /// Takes a note. Never waits: when too many are waiting already, or the writer has ended, it is dropped and counted.
    pub fn record(&self, note: EventNote) {
        if self.sender.try_send(Noted { note, at: Instant::now() }).is_err() {
            self.metrics.overflowed.inc();
        }
    }
}
