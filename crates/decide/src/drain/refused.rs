//! Pods that could not be deleted although nobody was asked.

use std::time::Duration;

use jiff::Timestamp;

use super::eviction::{EvictionOutcome, EvictionRecord, EvictionWay};
use super::schedule::LISTING_LIFE;
use super::{DrainMemory, PodIdentity, PodOnNode, filter};
use crate::elapsed::elapsed;

impl DrainMemory {
    /// Why pods are left on the node after each was deleted without grace; `None` when every deletion was accepted.
    pub(crate) fn refused_deletions(&self) -> Option<String> {
        let mut refused = self.refused();
        let (pod, _, message) = refused.next()?;
        let reason = message.trim_end_matches('.');
        let first = format!("deleting pod {}/{} failed: {reason}", pod.id.namespace, pod.id.name);
        Some(match refused.count() {
            0 => first,
            others => format!("{first}, and {others} more pods could not be deleted"),
        })
    }

    /// Those that were listed again since their deletion was refused.
    pub(crate) fn deletions_to_repeat(&self) -> impl Iterator<Item = PodIdentity> {
        let listed = self.listing.as_ref().map(|listing| listing.at);
        self.refused()
            .filter(move |(_, record, _)| listed.is_some_and(|listed| record.at < listed))
            .map(|(pod, ..)| pod.id.clone())
    }

    /// How long the listing still says something.
    pub(crate) fn listing_life_left(&self, now: Timestamp) -> Duration {
        let age = self.listing.as_ref().map_or(LISTING_LIFE, |listing| elapsed(listing.at, now));
        LISTING_LIFE.saturating_sub(age)
    }

    fn refused(&self) -> impl Iterator<Item = (&PodOnNode, &EvictionRecord, &str)> {
        let listed = self.listing.iter().flat_map(|listing| &listing.pods);
        listed.filter(|pod| filter::must_go(pod)).filter_map(|pod| {
            let record = self.evictions.get(&pod.id.uid)?;
            match (&record.outcome, record.way) {
                (EvictionOutcome::Failed { message }, EvictionWay::Deleted) => {
                    Some((pod, record, &**message))
                }
                _ => None,
            }
        })
    }
}
