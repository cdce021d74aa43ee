//! The last question before a write leaves the process: may it still?
//!
//! Whoever writes asks before each write. Between that question and the wire a request waits in line for the client's rate
//! limit, or the whole process is stopped for a while, and meanwhile the lease may be another's.

use std::fmt;
use std::sync::{Arc, OnceLock};

use http::Method;

type MayWrite = Box<dyn Fn() -> bool + Send + Sync>;

/// What stands between a client and the wire. Open until it is guarded; clones are the same fence.
#[derive(Clone, Default)]
pub struct Fence(Arc<OnceLock<MayWrite>>);

impl Fence {
    /// Lets writes pass only while `may_write` says so. Said once; a fence keeps its first guard.
    pub fn guard(&self, may_write: impl Fn() -> bool + Send + Sync + 'static) {
        let _ = self.0.set(Box::new(may_write));
    }

    pub(super) fn lets_pass(&self, method: &Method) -> bool {
        matches!(*method, Method::GET | Method::HEAD) || self.0.get().is_none_or(|may_write| may_write())
    }
}

impl PartialEq for Fence {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fence")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn reads_pass_always_and_writes_while_they_may() {
        let (fence, leads) = (Fence::default(), Arc::new(AtomicBool::new(true)));
        assert!(fence.lets_pass(&Method::PATCH), "nobody guards it");
        let asked = leads.clone();
        fence.clone().guard(move || asked.load(Ordering::Relaxed));
        assert!(fence.lets_pass(&Method::PATCH));
        leads.store(false, Ordering::Relaxed);
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            assert!(!fence.lets_pass(&method), "{method}");
        }
        assert!(fence.lets_pass(&Method::GET));
    }
}
