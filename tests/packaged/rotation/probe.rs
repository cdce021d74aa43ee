//! Shakes hands with each replica several times a second, trusting whom the registration names, as an API server that opens a connection
//! just then. A real one opens few, because it keeps them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::replica::{Replica, shake_hands};
use super::stage::Stage;

const PAUSE: Duration = Duration::from_millis(250);

/// Goes on until it is ended.
pub(crate) struct Probe {
    count: Arc<Mutex<Count>>,
    enough: CancellationToken,
    hands: JoinSet<()>,
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Count {
    good: usize,
    failed: Vec<String>,
}

impl Probe {
    pub(crate) fn begin(stage: &Stage, replicas: &[Replica]) -> Self {
        let (count, enough) = (Arc::<Mutex<Count>>::default(), CancellationToken::new());
        let mut hands = JoinSet::new();
        for port in replicas.iter().map(|replica| replica.port) {
            let (registered, count, enough) = (stage.registered(), Arc::clone(&count), enough.clone());
            hands.spawn(async move {
                while !enough.is_cancelled() {
                    // Read before: what an API server knows is always a little old.
                    if let Some(bundle) = registered.bundle_pem().await {
                        tokio::time::sleep(PAUSE).await;
                        match shake_hands(port, &bundle).await {
                            Ok(()) => count.lock().good += 1,
                            Err(reason) => count.lock().failed.push(reason),
                        }
                    }
                }
            });
        }
        Self { count, enough, hands }
    }

    pub(crate) async fn end(self) -> Count {
        self.enough.cancel();
        self.hands.join_all().await;
        std::mem::take(&mut *self.count.lock())
    }
}

impl Count {
    pub(crate) fn assert_none_failed(&self) {
        assert!(self.failed.is_empty() && self.good > 10, "{self}: {:#?}", self.failed);
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} handshakes, {} failed", self.good + self.failed.len(), self.failed.len())
    }
}
