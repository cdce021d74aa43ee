//! Waits for what shall become true, far longer than it takes: a slow machine must not fail a test.

use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(400);
const POLL: Duration = Duration::from_millis(500);

/// Looks until there is something to see.
pub(crate) async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Result<T, String>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match look().await {
            Ok(seen) => return seen,
            Err(instead) if Instant::now() >= deadline => {
                panic!("not seen within {} s: {what}; instead {instead}", PATIENCE.as_secs())
            }
            Err(_) => tokio::time::sleep(POLL).await,
        }
    }
}
