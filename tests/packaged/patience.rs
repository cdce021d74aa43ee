//! Waits for what shall become true, far longer than it takes: a slow machine must not fail a test.

use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(150);
const POLL: Duration = Duration::from_millis(200);

/// Looks until there is something to see; `None` when it never came.
pub(crate) async fn poll<T>(mut look: impl AsyncFnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(seen) = look().await {
            return Some(seen);
        }
        if Instant::now() >= deadline {
            return None;
        }
        tokio::time::sleep(POLL).await;
    }
}

/// Looks until there is something to see.
pub(crate) async fn until<T>(what: &str, look: impl AsyncFnMut() -> Option<T>) -> T {
    let seen = poll(look).await;
    seen.unwrap_or_else(|| panic!("not seen within {} s: {what}", PATIENCE.as_secs()))
}

/// Waits as long as something that must not happen would take.
pub(crate) async fn settle() {
    tokio::time::sleep(Duration::from_secs(3)).await;
}
