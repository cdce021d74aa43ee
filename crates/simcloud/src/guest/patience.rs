//! Trying again: waits between attempts that grow from half a second to half a minute.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(30);

/// Waits that double.
#[derive(Debug)]
pub(super) struct Patience {
    next: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { next: FIRST }
    }
}

impl Patience {
    pub(super) async fn wait(&mut self) {
        let wait = self.next;
        self.next = (wait * 2).min(LONGEST);
        tokio::time::sleep(wait).await;
    }
}
