//! What is remembered of a drain between two looks.

use std::collections::HashMap;

use jiff::Timestamp;

use super::PodOnNode;

/// Memory of one node's drain. Lost at a restart, which costs no more than asking again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrainMemory {
    /// The pods, as they were listed last.
    pub listing: Option<PodListing>,
    /// What was tried for each pod, by UID.
    pub evictions: HashMap<String, EvictionRecord>,
}

/// Pods of the node at a point in time.
#[derive(Clone, Debug, PartialEq)]
pub struct PodListing {
    /// When they were listed.
    pub at: Timestamp,
    /// All pods bound to the node.
    pub pods: Vec<PodOnNode>,
}

/// The last try for a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvictionRecord {
    /// When it was tried first.
    pub first_at: Timestamp,
    /// When last.
    pub at: Timestamp,
    /// What came of it.
    pub outcome: EvictionOutcome,
}

/// What came of an eviction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvictionOutcome {
    /// The pod ends within its grace time.
    Accepted,
    /// A disruption budget does not allow it now.
    Blocked {
        /// The budget, where the API server names it.
        budget: String,
    },
    /// The request failed.
    Failed {
        /// Why.
        message: String,
    },
}

impl DrainMemory {
    /// Remembers a listing, and forgets tries for pods that are gone.
    pub fn listed(&mut self, listing: PodListing) {
        self.evictions.retain(|uid, _| listing.pods.iter().any(|pod| pod.id.uid == *uid));
        self.listing = Some(listing);
    }

    /// Remembers a try.
    pub fn tried(&mut self, uid: &str, at: Timestamp, outcome: EvictionOutcome) {
        let first_at = self.evictions.get(uid).map_or(at, |record| record.first_at);
        self.evictions.insert(uid.to_owned(), EvictionRecord { first_at, at, outcome });
    }
}
