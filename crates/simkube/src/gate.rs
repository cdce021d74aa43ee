//! Where tests decide what becomes of each request.

use crate::{request_info::RequestInfo, verdict::Verdict};

/// Judges every request of every client before it is carried out.
pub trait Gate: Send + Sync {
    /// What becomes of this request. Called once for each, in the order of their numbers, and with no lock held.
    fn judge(&self, request: &RequestInfo) -> Verdict;
}

impl<F> Gate for F
where
    F: Fn(&RequestInfo) -> Verdict + Send + Sync,
{
    fn judge(&self, request: &RequestInfo) -> Verdict {
        self(request)
    }
}
