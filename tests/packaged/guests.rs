//! Who is in the house: the last test looks at what all others asked the API server for, when they are done.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

static THERE: AtomicUsize = AtomicUsize::new(0);
static CONTENT: AtomicUsize = AtomicUsize::new(0);

/// Somebody whose requests count; gone when it is dropped.
pub(crate) struct Guest(());

impl Guest {
    pub(crate) fn arrives() -> Self {
        THERE.fetch_add(1, Ordering::SeqCst);
        Self(())
    }

    /// Leaves after a good end.
    pub(crate) fn leaves_content(&self) {
        CONTENT.fetch_add(1, Ordering::SeqCst);
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        THERE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Longer than any test takes.
const PATIENCE: Duration = Duration::from_secs(900);

/// Waits until nobody but the caller is there; says how many came to a good end.
pub(crate) async fn alone() -> usize {
    let deadline = Instant::now() + PATIENCE;
    while THERE.load(Ordering::SeqCst) > 1 {
        assert!(Instant::now() < deadline, "others are still there after {} s", PATIENCE.as_secs());
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    CONTENT.load(Ordering::SeqCst)
}
