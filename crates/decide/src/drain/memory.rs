//! What is remembered of a drain between two looks: observations alone, so that losing them costs a question.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use millwright_api::{NodeView, VolumeAttachmentView};

use super::eviction::{EvictionOutcome, EvictionRecord, EvictionWay};
use super::volumes::{PodVolumes, Seen, VolumeStage};
use super::{Leftovers, PodOnNode, filter};
use crate::elapsed::elapsed;
use crate::settings::MachineSettings;

/// A drain that nobody looked at for so long is over; the next one begins anew.
const FORGOTTEN: Duration = Duration::from_secs(10 * 60);

/// Memory of one node's drain. Lost at a restart, which costs no more than asking again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrainMemory {
    /// When it began: at the first listing.
    pub began_at: Option<Timestamp>,
    /// When nothing was left to wait for.
    pub ended_at: Option<Timestamp>,
    /// When we cordoned the node; an older listing may miss pods.
    pub cordoned_at: Option<Timestamp>,
    /// The pods, as they were listed last.
    pub listing: Option<PodListing>,
    /// What was tried for each pod, by UID.
    pub evictions: HashMap<String, EvictionRecord>,
    /// Volumes of each pod that has any, by UID; also of pods that are gone.
    pub volumes: BTreeMap<String, PodVolumes>,
    /// Volumes that were attached when the drain began, and that no pod uses.
    pub leftovers: Leftovers,
    /// Disruption budgets by namespace, where one stood against an eviction.
    pub budgets: HashMap<String, BudgetListing>,
    /// Pods that must go, all that were ever seen.
    pub(super) seen: BTreeSet<String>,
    /// Listings since an eviction was accepted last.
    pub(super) listings_since: u32,
    /// When that was.
    pub(super) accepted_at: Option<Timestamp>,
    told: HashSet<(String, EvictionOutcome)>,
}

/// Pods of the node at a point in time.
#[derive(Clone, Debug, PartialEq)]
pub struct PodListing {
    /// When they were listed.
    pub at: Timestamp,
    /// All pods bound to the node.
    pub pods: Vec<PodOnNode>,
}

/// Disruption budgets of a namespace at a point in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetListing {
    /// When they were listed.
    pub at: Timestamp,
    /// Names of those that let no pod go although all are well.
    pub misconfigured: BTreeSet<String>,
}

impl DrainMemory {
    /// Remembers a listing, and forgets tries for pods that are gone.
    pub fn listed(&mut self, listing: PodListing) {
        let forgotten =
            self.listing.as_ref().is_some_and(|before| elapsed(before.at, listing.at) >= FORGOTTEN);
        if forgotten || self.ended_at.is_some() {
            *self = Self { cordoned_at: self.cordoned_at, ..Self::default() };
        }
        self.began_at.get_or_insert(listing.at);
        self.listings_since = self.listings_since.saturating_add(1);
        self.evictions.retain(|uid, _| listing.pods.iter().any(|pod| pod.id.uid == *uid));
        let must_go = listing.pods.iter().filter(|pod| filter::must_go(pod));
        self.seen.extend(must_go.map(|pod| pod.id.uid.clone()));
        for (uid, volumes) in &mut self.volumes {
            let pod = listing.pods.iter().find(|pod| pod.id.uid == *uid);
            volumes.pod_listed(pod, listing.at);
            let was_there = |before: &PodListing| before.pods.iter().any(|pod| pod.id.uid == *uid);
            if pod.is_none() && self.listing.as_ref().is_some_and(was_there) {
                volumes.pod_ended(listing.at);
            }
        }
        self.listing = Some(listing);
    }

    /// Remembers an eviction.
    pub fn tried(&mut self, uid: &str, at: Timestamp, outcome: EvictionOutcome) {
        self.asked(uid, at, outcome, EvictionWay::Evicted);
    }

    /// Remembers a deletion without grace.
    pub fn deleted(&mut self, uid: &str, at: Timestamp, outcome: EvictionOutcome) {
        self.asked(uid, at, outcome, EvictionWay::Deleted);
    }

    fn asked(&mut self, uid: &str, at: Timestamp, outcome: EvictionOutcome, way: EvictionWay) {
        if outcome == EvictionOutcome::Accepted {
            self.listings_since = 0;
            self.accepted_at = Some(at);
            if let Some(volumes) = self.volumes.get_mut(uid) {
                volumes.pod_leaves(at);
            }
        }
        let before = self.evictions.get(uid);
        let record = EvictionRecord {
            first_at: before.map_or(at, |record| record.first_at),
            at,
            attempts: before.map_or(0, |record| record.attempts).saturating_add(1),
            outcome,
            way,
            retry_after: None,
        };
        self.evictions.insert(uid.to_owned(), record);
    }

    /// Remembers how long the API server asks to wait before the pod is tried again.
    pub fn told_to_wait(&mut self, uid: &str, time: Duration) {
        if let Some(record) = self.evictions.get_mut(uid) {
            record.retry_after = Some(time);
        }
    }

    /// Whether users have not been told yet that this holds the pod back. Only budgets are told; what else fails has a text that
    /// may differ each time.
    pub fn is_news(&mut self, uid: &str, outcome: &EvictionOutcome) -> bool {
        match outcome {
            EvictionOutcome::Blocked { .. } | EvictionOutcome::Misconfigured { .. } => {
                self.told.insert((uid.to_owned(), outcome.clone()))
            }
            EvictionOutcome::Accepted | EvictionOutcome::Failed { .. } => false,
        }
    }

    /// Remembers that we cordoned the node.
    pub fn cordoned(&mut self, at: Timestamp) {
        self.cordoned_at = Some(at);
    }

    /// Remembers what was found out of a pod's volumes.
    pub fn looked_up(&mut self, uid: &str, mut volumes: PodVolumes) {
        if let Some(listing) = &self.listing {
            let pod = listing.pods.iter().find(|pod| pod.id.uid == *uid);
            volumes.pod_listed(pod, listing.at);
        }
        self.volumes.insert(uid.to_owned(), volumes);
    }

    /// Follows the volumes: what of them is attached where. They are judged by time after `trusted_since` only.
    pub fn saw(
        &mut self,
        node: &NodeView,
        attachments: &[Arc<VolumeAttachmentView>],
        settings: &MachineSettings,
        trusted_since: Timestamp,
        now: Timestamp,
    ) {
        let uids: Vec<String> = self.volumes.keys().cloned().collect();
        let unaccounted = self.unaccounted(node, attachments);
        for uid in uids {
            let tracked = self.tracked(&uid);
            let stage = self.volumes.get(&uid).map(|volumes| {
                let seen = Seen { node, attachments, unaccounted: &unaccounted };
                volumes.stage_after(&tracked, seen, settings, trusted_since, now)
            });
            if let (Some(volumes), Some(stage)) = (self.volumes.get_mut(&uid), stage) {
                volumes.stage = stage;
            }
        }
        let leftovers = self.leftovers_until(node, attachments, settings, trusted_since);
        let is_over = !self.has_pods() && !self.is_detaching() && leftovers.is_none_or(|until| now >= until);
        if self.listing.is_some() && is_over {
            self.ended_at.get_or_insert(now);
        }
    }

    /// Remembers that nobody waits for the rest.
    pub fn given_up(&mut self, at: Timestamp) {
        if self.began_at.is_some() {
            self.ended_at.get_or_insert(at);
        }
    }

    /// Pods that must go are known to be on the node.
    #[must_use]
    pub fn has_pods(&self) -> bool {
        self.listing.iter().flat_map(|listing| &listing.pods).any(filter::must_go)
    }

    /// Volumes that were seen on the node.
    pub fn volume_names(&self) -> impl Iterator<Item = &str> {
        self.volumes.values().flat_map(|pod| &pod.volumes).map(|volume| volume.name.as_str())
    }

    /// Some volume of a pod that went is still attached, and there is time left for it.
    pub(super) fn is_detaching(&self) -> bool {
        self.volumes.values().any(|volumes| matches!(volumes.stage, VolumeStage::Detaching { .. }))
    }

    /// How much of the drain's time has passed: until its end, or until now.
    #[must_use]
    pub fn duration(&self, now: Timestamp) -> Option<Duration> {
        self.began_at.map(|began| elapsed(began, self.ended_at.unwrap_or(now)))
    }
}
