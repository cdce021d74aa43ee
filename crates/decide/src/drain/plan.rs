//! The next steps of a drain.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use millwright_api::{NodeView, VolumeAttachmentView};

use super::attached::all_attached;
use super::schedule::{LISTING_LIFE, next_listing};
use super::volumes::{VolumeStage, later};
use super::{DrainMemory, PodOnNode, describe, filter, graceful};
use crate::elapsed::elapsed;
use crate::machine::MachineAction;
use crate::settings::MachineSettings;

/// No look comes sooner, whatever is due.
const SHORTEST: Duration = Duration::from_millis(100);

/// How much a drain may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrainUrgency {
    /// Budgets and grace times are respected.
    Graceful {
        /// Until the drain is forced.
        time_left: Duration,
    },
    /// Every pod is deleted at once, and nobody waits for it.
    Forced,
}

/// What a drain may look at.
#[derive(Clone, Copy, Debug)]
pub struct DrainView<'a> {
    /// The node.
    pub node: &'a NodeView,
    /// Attachments of volumes to it, and of the same volumes to any other.
    pub attachments: &'a [Arc<VolumeAttachmentView>],
    /// What is remembered.
    pub memory: &'a DrainMemory,
    /// The flags.
    pub settings: &'a MachineSettings,
    /// How much it may wait.
    pub urgency: DrainUrgency,
    /// When it began.
    pub since: Timestamp,
    /// Since when what is seen can be trusted: pods and volumes are judged by time after this only.
    pub trusted_since: Timestamp,
}

/// Where a drain is.
#[derive(Clone, Debug, PartialEq)]
pub enum DrainProgress {
    /// The pods must be listed before anything can be said.
    MustList,
    /// Something is left to do or to wait for.
    Going {
        /// What to do now.
        actions: Vec<MachineAction>,
        /// What it waits for, for people.
        description: String,
        /// When to look again.
        look: NextLook,
        /// Pods are left.
        pods: usize,
    },
    /// Nothing that matters is left on the node.
    Done {
        /// Names of the volumes that are still attached to it.
        undetached: Vec<String>,
    },
}

/// How a drain goes on when nothing happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextLook {
    /// The pods are to be listed anew.
    ListNow,
    /// Nothing is to be done for so long.
    After(Duration),
}

/// The next steps, given what is known of the node's pods and their volumes.
#[must_use]
pub fn plan(view: &DrainView<'_>, now: Timestamp) -> DrainProgress {
    let memory = view.memory;
    let Some(listing) = memory.listing.as_ref().filter(|listing| elapsed(listing.at, now) < LISTING_LIFE)
    else {
        return DrainProgress::MustList;
    };
    let left: Vec<&PodOnNode> = listing.pods.iter().filter(|pod| filter::must_go(pod)).collect();
    let DrainUrgency::Graceful { time_left } = view.urgency else { return forced(view, &left) };
    let leftovers = memory
        .leftovers_until(view.node, view.attachments, view.settings, view.trusted_since)
        .filter(|until| now < *until);
    if left.is_empty() && !memory.is_detaching() && leftovers.is_none() {
        // Before the node was cordoned, one more pod may have come.
        return if memory.cordoned_at.is_some_and(|cordoned| listing.at < cordoned) {
            DrainProgress::MustList
        } else {
            DrainProgress::Done { undetached: memory.undetached(view.node, view.attachments) }
        };
    }
    let actions = graceful::actions(view, &left, now);
    let look = match elapsed(now, next_listing(memory, &left, leftovers, now)) {
        Duration::ZERO => NextLook::ListNow,
        wait => NextLook::After(wait.min(next_turn(view, &left, now)).min(time_left).max(SHORTEST)),
    };
    DrainProgress::Going {
        description: describe::describe(view, &left, &actions, later(now, time_left), now),
        look,
        pods: left.len(),
        actions,
    }
}

/// Every pod is deleted once. One that can not be deleted must not hold up its VM.
fn forced(view: &DrainView<'_>, left: &[&PodOnNode]) -> DrainProgress {
    let actions: Vec<_> = left
        .iter()
        .filter(|pod| !graceful::was_deleted(view.memory, pod))
        .map(|pod| MachineAction::DeletePod(pod.id.clone()))
        .collect();
    if actions.is_empty() {
        return DrainProgress::Done { undetached: all_attached(view.node, view.attachments) };
    }
    DrainProgress::Going {
        description: describe::describe_forced(view, left),
        pods: left.len(),
        look: NextLook::After(LISTING_LIFE),
        actions,
    }
}

/// When the first of all that is waited for may be over, or must be.
fn next_turn(view: &DrainView<'_>, left: &[&PodOnNode], now: Timestamp) -> Duration {
    let (memory, settings) = (view.memory, view.settings);
    let volumes = memory.volumes.values().filter_map(|pod| match pod.stage {
        VolumeStage::Detaching { since } => Some(pod.detach_limit(since, settings, view.trusted_since)),
        VolumeStage::Reattaching { since } => Some(later(since, settings.pv_reattach_timeout)),
        _ => None,
    });
    let overdue = left
        .iter()
        .filter_map(|pod| graceful::overdue_after(view, pod))
        .map(|limit| later(limit, Duration::from_secs(1)));
    let retries = graceful::in_turn(memory, left)
        .into_iter()
        .filter(|pod| graceful::is_evictable(memory, pod))
        .map(|pod| later(now, graceful::wait_left(memory, pod, now)));
    volumes
        .chain(overdue)
        .chain(retries)
        .map(|moment| elapsed(now, moment))
        .filter(|wait| !wait.is_zero())
        .min()
        .unwrap_or(Duration::MAX)
}
