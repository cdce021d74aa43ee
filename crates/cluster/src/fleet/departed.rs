//! Forgets, from time to time, what was remembered of objects that are gone.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Fleet;

/// Memories are small: this is against growth, not for thrift.
const PERIOD: Duration = Duration::from_secs(300);

/// Forgets until cancelled.
pub async fn forget_departed(fleet: Arc<Fleet>, cancel: CancellationToken) {
    loop {
        tokio::select! {
            () = cancel.cancelled() => return,
            () = tokio::time::sleep(PERIOD) => fleet.forget_departed(),
        }
    }
}
