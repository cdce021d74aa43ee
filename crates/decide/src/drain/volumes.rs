//! Volumes of the pods that are drained: on their way from this node to another.
//!
//! A pod with volumes keeps one of a few places from its eviction until its volumes are detached here and attached
//! elsewhere, so that the cloud is not asked for everything at once. Waiting for the second half is only pacing: it
//! ends after a while, since nobody knows whether the pod has anywhere to go, and the end of the drain never waits for it.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use millwright_api::{NodeView, VolumeAttachmentView};

use super::attached::is_attached;
use super::{DrainMemory, PodOnNode, filter};
use crate::elapsed::elapsed;
use crate::settings::MachineSettings;

/// How often a look-up may be refused before the pod is drained without its volumes being known. What is attached and nobody's
/// counts as its volume then.
const LOOK_UPS: u32 = 3;

/// What is known of one pod's volumes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodVolumes {
    /// Namespace and name of the pod; empty when it was gone before the drain began.
    pub pod: String,
    /// The time it may take to end; none once it has ended.
    pub grace: Duration,
    /// Its priority.
    pub priority: i32,
    /// Whether the look-up is done.
    pub look_up: LookUp,
    /// Its volumes, as far as they are known.
    pub volumes: Vec<PodVolume>,
    /// Claims whose volume is not known, each with the reason.
    pub untracked: Vec<String>,
    /// Where they are.
    pub stage: VolumeStage,
}

/// One PersistentVolume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodVolume {
    /// Its name.
    pub name: String,
    /// Its ids in the machine's cloud; none when it is another's, and then it is not followed.
    pub ids: Vec<String>,
}

/// What is attached where.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) node: &'a NodeView,
    pub(super) attachments: &'a [Arc<VolumeAttachmentView>],
    /// What is attached to the node and is no volume that is known.
    pub(super) unaccounted: &'a [String],
}

/// How far the look-up of a pod's volumes is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookUp {
    /// What could be found is found.
    Done,
    /// It failed, and is tried again at the next listing.
    Failing {
        /// How often in a row it was refused.
        attempts: u32,
        /// Why.
        message: String,
    },
}

/// Where a pod's volumes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VolumeStage {
    /// On the node, with a pod that stays there until its end.
    Staying,
    /// On the node, with the pod.
    InUse,
    /// The pod was asked to go, and something of it is still attached.
    Detaching {
        /// Since it was asked, or since it has ended.
        since: Timestamp,
    },
    /// Something is still attached after all the time it had; nothing waits for it any more.
    Overdue {
        /// When its time was over.
        at: Timestamp,
    },
    /// Nothing is attached here any more, and not everything is attached elsewhere.
    Reattaching {
        /// Since it is detached.
        since: Timestamp,
    },
    /// Not attached elsewhere in time; nothing waits for it any more.
    Unplaced,
    /// Nothing to wait for.
    Settled,
}

impl LookUp {
    /// What follows from one more refusal.
    #[must_use]
    pub fn failed_after(before: Option<&Self>, message: String) -> Self {
        Self::Failing { attempts: before.map_or(0, Self::refusals).saturating_add(1), message }
    }

    /// What follows when nobody answered: that says nothing about the pod.
    #[must_use]
    pub fn put_off(before: Option<&Self>, message: String) -> Self {
        Self::Failing { attempts: before.map_or(0, Self::refusals), message }
    }

    fn refusals(&self) -> u32 {
        match self {
            Self::Failing { attempts, .. } => *attempts,
            Self::Done => 0,
        }
    }

    /// It is worth another try, and the pod is not evicted before.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Failing { attempts, .. } if *attempts < LOOK_UPS)
    }
}

impl PodVolumes {
    /// A volume that was attached before the drain began, and whose pod is gone.
    #[must_use]
    pub fn left_behind(volume: PodVolume, since: Timestamp) -> Self {
        Self {
            pod: String::new(),
            grace: Duration::ZERO,
            priority: 0,
            look_up: LookUp::Done,
            volumes: vec![volume],
            untracked: Vec::new(),
            stage: VolumeStage::Detaching { since },
        }
    }

    /// The key under which a volume without pod is remembered.
    #[must_use]
    pub fn key_of_left_behind(volume: &str) -> String {
        format!("volume/{volume}")
    }

    pub(super) fn is_left_behind(&self) -> bool {
        self.pod.is_empty()
    }

    /// The pod was asked to go.
    pub(super) fn pod_leaves(&mut self, at: Timestamp) {
        if self.stage == VolumeStage::InUse {
            self.stage = VolumeStage::Detaching { since: at };
        }
    }

    /// The pod as a listing shows it, or its absence.
    pub(super) fn pod_listed(&mut self, pod: Option<&PodOnNode>, at: Timestamp) {
        if self.is_left_behind() || self.stage == VolumeStage::Staying {
            return;
        }
        match pod {
            Some(pod) if !filter::must_go(pod) => self.stage = VolumeStage::Staying,
            // Whoever accepted its eviction did not mean it.
            Some(pod) if pod.deleted_at.is_none() => self.stage = VolumeStage::InUse,
            Some(_) | None => self.pod_leaves(at),
        }
    }

    /// The pod was there at the last listing and is not any more. What is attached has only now nobody left that uses it, so
    /// its time begins now, whatever the pod took of it.
    pub(super) fn pod_ended(&mut self, at: Timestamp) {
        self.grace = Duration::ZERO;
        if matches!(self.stage, VolumeStage::Detaching { .. } | VolumeStage::Overdue { .. }) {
            self.stage = VolumeStage::Detaching { since: at };
        }
    }

    /// When its volumes must be detached. Nothing is detached while an API server is away.
    pub(super) fn detach_limit(
        &self,
        since: Timestamp,
        settings: &MachineSettings,
        trusted_since: Timestamp,
    ) -> Timestamp {
        later(since.max(trusted_since), self.grace.saturating_add(settings.pv_detach_timeout))
    }

    /// It keeps a place.
    pub(super) fn is_on_its_way(&self) -> bool {
        matches!(self.stage, VolumeStage::Detaching { .. } | VolumeStage::Reattaching { .. })
    }

    pub(super) fn stage_after(
        &self,
        tracked: &[&PodVolume],
        seen: Seen<'_>,
        settings: &MachineSettings,
        trusted_since: Timestamp,
        now: Timestamp,
    ) -> VolumeStage {
        let Seen { node, attachments, unaccounted } = seen;
        let is_unknown = matches!(self.look_up, LookUp::Failing { .. });
        let attached = || {
            tracked.iter().any(|volume| is_attached(volume, node, attachments))
                || is_unknown && !unaccounted.is_empty()
        };
        let elsewhere = |volume: &&PodVolume| {
            attachments.iter().any(|attachment| {
                attachment.spec.source.persistent_volume_name == volume.name
                    && attachment.spec.node_name != node.metadata.name.as_deref().unwrap_or_default()
                    && attachment.status.attached
            })
        };
        match self.stage {
            VolumeStage::Detaching { since } if attached() => {
                let limit = self.detach_limit(since, settings, trusted_since);
                if now >= limit { VolumeStage::Overdue { at: limit } } else { self.stage }
            }
            VolumeStage::Detaching { .. } if tracked.is_empty() || self.is_left_behind() => {
                VolumeStage::Settled
            }
            VolumeStage::Detaching { .. } if tracked.iter().all(elsewhere) => VolumeStage::Settled,
            VolumeStage::Detaching { .. } => VolumeStage::Reattaching { since: now },
            VolumeStage::Reattaching { .. } if tracked.iter().all(elsewhere) => VolumeStage::Settled,
            VolumeStage::Reattaching { since } if elapsed(since, now) >= settings.pv_reattach_timeout => {
                VolumeStage::Unplaced
            }
            VolumeStage::Overdue { .. } if !attached() => VolumeStage::Settled,
            stage => stage,
        }
    }
}

impl DrainMemory {
    /// Volumes of a pod that are followed: the cloud's own, and no other pod's as well.
    pub(super) fn tracked(&self, uid: &str) -> Vec<&PodVolume> {
        let Some(pod) = self.volumes.get(uid) else { return Vec::new() };
        let shared: HashSet<&str> = self
            .volumes
            .iter()
            .filter(|(other, _)| *other != uid)
            .flat_map(|(_, pod)| pod.volumes.iter().map(|volume| volume.name.as_str()))
            .collect();
        pod.volumes
            .iter()
            .filter(|volume| !volume.ids.is_empty() && !shared.contains(volume.name.as_str()))
            .collect()
    }

    /// Names of the followed volumes of pods that went, as far as they are still attached; and of whatever else is, when it
    /// may be one of them.
    pub(super) fn undetached(
        &self,
        node: &NodeView,
        attachments: &[Arc<VolumeAttachmentView>],
    ) -> Vec<String> {
        let followed = self
            .volumes
            .iter()
            .filter(|(_, pod)| !matches!(pod.stage, VolumeStage::Staying | VolumeStage::InUse))
            .flat_map(|(uid, _)| self.tracked(uid))
            .filter(|volume| is_attached(volume, node, attachments))
            .map(|volume| volume.name.clone());
        let unknown =
            if self.may_own_unaccounted() { self.unaccounted(node, attachments) } else { Vec::new() };
        followed.chain(unknown).collect()
    }
}

/// Some time after a moment.
pub(crate) fn later(moment: Timestamp, time: Duration) -> Timestamp {
    let time = jiff::SignedDuration::try_from(time).unwrap_or(jiff::SignedDuration::MAX);
    moment.checked_add(time).unwrap_or(Timestamp::MAX)
}
