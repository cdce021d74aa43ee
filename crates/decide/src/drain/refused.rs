//! Pods that could not be deleted although nobody was asked.

use super::eviction::{EvictionOutcome, EvictionWay};
use super::{DrainMemory, filter};

impl DrainMemory {
    /// Why pods are left on the node after each was deleted without grace; `None` when every deletion was accepted.
    pub(crate) fn refused_deletions(&self) -> Option<String> {
        let listed = self.listing.iter().flat_map(|listing| &listing.pods);
        let mut refused = listed.filter(|pod| filter::must_go(pod)).filter_map(|pod| {
            let record = self.evictions.get(&pod.id.uid)?;
            match (&record.outcome, record.way) {
                (EvictionOutcome::Failed { message }, EvictionWay::Deleted) => Some((pod, message)),
                _ => None,
            }
        });
        let (pod, message) = refused.next()?;
        let reason = message.trim_end_matches('.');
        let first = format!("deleting pod {}/{} failed: {reason}", pod.id.namespace, pod.id.name);
        Some(match refused.count() {
            0 => first,
            others => format!("{first}, and {others} more pods could not be deleted"),
        })
    }
}
