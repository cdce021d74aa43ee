//! Follows what is written.

use std::sync::Arc;

use tokio::sync::watch;

use crate::{simkube::SimKube, write::Write};

/// Who is called after each write.
pub(crate) type Observer = Arc<dyn Fn(&Write) + Send + Sync>;

/// Follows the writes of a server; misses none.
pub struct Subscription {
    sim: SimKube,
    seen: usize,
    changed: watch::Receiver<()>,
}

impl Subscription {
    pub(crate) fn new(sim: SimKube, seen: usize, changed: watch::Receiver<()>) -> Self {
        Self { sim, seen, changed }
    }

    /// The next write, when it is there already.
    pub fn try_next(&mut self) -> Option<Arc<Write>> {
        let next = self.sim.read(|store| store.log().get(self.seen).cloned());
        self.seen += usize::from(next.is_some());
        next
    }

    /// The next write; waits for it for ever, so bound it where it may not come.
    pub async fn next(&mut self) -> Arc<Write> {
        loop {
            self.changed.mark_unchanged();
            if let Some(next) = self.try_next() {
                return next;
            }
            if self.changed.changed().await.is_err() {
                // The server lives as long as this, so its sender does.
                std::future::pending::<()>().await;
            }
        }
    }
}
