//! The next steps of a drain.

use std::time::Duration;

use jiff::Timestamp;

use super::{DrainMemory, EvictionOutcome, PodIdentity, PodOnNode, filter, order};
use crate::elapsed::elapsed;
use crate::machine::MachineAction;
use crate::settings::MachineSettings;

/// How old a listing may be before it says nothing any more.
const LISTING_LIFE: Duration = Duration::from_secs(2);
/// How long to wait before a blocked or failed eviction is tried again.
const EVICTION_RETRY: Duration = Duration::from_secs(5);
/// What one of `maxEvictRetries` stands for. Gardener's controller tries every 20 s; we try more often,
/// and override a disruption budget no sooner.
const RETRY_WORTH: Duration = Duration::from_secs(20);
/// Time beyond a pod's grace after which it is deleted without grace.
const GRACE_SLACK: Duration = Duration::from_secs(30);

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

/// Where a drain is.
#[derive(Clone, Debug, PartialEq)]
pub enum DrainProgress {
    /// The pods must be listed before anything can be said.
    MustList {
        /// How long the last listing still holds.
        after: Duration,
    },
    /// Something is left to do or to wait for.
    Going {
        /// What to do now.
        actions: Vec<MachineAction>,
        /// What it waits for, for people.
        description: String,
        /// When to look again.
        look_after: Duration,
    },
    /// Nothing that matters is left on the node.
    Done,
}

/// The next steps, given what is known of the node's pods.
#[must_use]
pub fn plan(
    memory: &DrainMemory,
    settings: &MachineSettings,
    urgency: DrainUrgency,
    now: Timestamp,
) -> DrainProgress {
    let Some(listing) = memory.listing.as_ref().filter(|listing| elapsed(listing.at, now) < LISTING_LIFE)
    else {
        return DrainProgress::MustList { after: Duration::ZERO };
    };
    let left: Vec<&PodOnNode> = listing.pods.iter().filter(|pod| filter::must_go(pod)).collect();
    if left.is_empty() {
        return DrainProgress::Done;
    }
    let look_after = LISTING_LIFE;
    if urgency == DrainUrgency::Forced {
        let actions: Vec<_> = left
            .iter()
            .filter(|pod| must_be_forced(memory, pod, now))
            .map(|pod| MachineAction::DeletePod(pod.id.clone()))
            .collect();
        if actions.is_empty() {
            return DrainProgress::Done;
        }
        let description = format!("Forced drain: deleting {} pods.", actions.len());
        return DrainProgress::Going { actions, description, look_after };
    }
    // A pod of a later tier waits until every pod of an earlier one is gone, not only evicted.
    let mut actions: Vec<MachineAction> = order::evictable_now(&left)
        .into_iter()
        .filter(|pod| pod.deleted_at.is_none())
        .filter_map(|pod| evict(memory, pod, settings, now))
        .collect();
    actions.extend(left.iter().filter_map(|pod| overdue(pod, now)).map(MachineAction::DeletePod));
    DrainProgress::Going { actions, description: describe(memory, &left, urgency), look_after }
}

/// A pod that was not asked to go, or was asked and refused. A try that failed just now was the forced one:
/// a pod that can not be deleted must not hold up its VM.
fn must_be_forced(memory: &DrainMemory, pod: &PodOnNode, now: Timestamp) -> bool {
    let Some(record) = memory.evictions.get(&pod.id.uid) else { return true };
    pod.deleted_at.is_none()
        && match record.outcome {
            EvictionOutcome::Accepted => false,
            EvictionOutcome::Blocked { .. } => true,
            EvictionOutcome::Failed { .. } => elapsed(record.at, now) >= EVICTION_RETRY,
        }
}

fn evict(
    memory: &DrainMemory,
    pod: &PodOnNode,
    settings: &MachineSettings,
    now: Timestamp,
) -> Option<MachineAction> {
    let Some(record) = memory.evictions.get(&pod.id.uid) else {
        return Some(MachineAction::EvictPod(pod.id.clone()));
    };
    if elapsed(record.at, now) < EVICTION_RETRY {
        return None;
    }
    let patience = RETRY_WORTH.saturating_mul(settings.max_evict_retries).min(settings.drain_timeout);
    if elapsed(record.first_at, now) >= patience {
        return Some(MachineAction::DeletePod(pod.id.clone()));
    }
    Some(MachineAction::EvictPod(pod.id.clone()))
}

/// A pod that should have ended long ago: its kubelet is not there to confirm it.
fn overdue(pod: &PodOnNode, now: Timestamp) -> Option<PodIdentity> {
    let deleted = pod.deleted_at?;
    // The deletion timestamp of a pod already contains its grace time.
    (elapsed(deleted, now) > GRACE_SLACK).then(|| pod.id.clone())
}

fn describe(memory: &DrainMemory, left: &[&PodOnNode], urgency: DrainUrgency) -> String {
    let mut waits: Vec<String> = left
        .iter()
        .take(3)
        .map(|pod| {
            let name = format!("{}/{}", pod.id.namespace, pod.id.name);
            match memory.evictions.get(&pod.id.uid).map(|record| &record.outcome) {
                _ if pod.deleted_at.is_some() => format!("{name} is terminating"),
                Some(EvictionOutcome::Blocked { budget }) => {
                    format!("{name} is held back by disruption budget {budget}")
                }
                Some(EvictionOutcome::Failed { message }) => format!("evicting {name} failed: {message}"),
                Some(EvictionOutcome::Accepted) | None => format!("{name} is being evicted"),
            }
        })
        .collect();
    if left.len() > waits.len() {
        waits.push(format!("{} more", left.len() - waits.len()));
    }
    let limit = match urgency {
        // Minutes, so that the text does not change with every look.
        DrainUrgency::Graceful { time_left } if time_left.as_secs() >= 60 => {
            format!(" Forced in at most {} minutes.", time_left.as_secs().div_ceil(600) * 10)
        }
        _ => String::new(),
    };
    format!("Draining: {} pods left ({}).{limit}", left.len(), waits.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drain::PodListing;

    const T0: Timestamp = Timestamp::UNIX_EPOCH;

    fn pod(name: &str) -> PodOnNode {
        PodOnNode {
            id: PodIdentity { namespace: "default".into(), name: name.into(), uid: format!("uid-{name}") },
            controller_kind: Some("ReplicaSet".into()),
            mirror: false,
            deleted_at: None,
            grace: Duration::from_secs(30),
            priority: 0,
        }
    }

    fn memory(pods: &[PodOnNode]) -> DrainMemory {
        DrainMemory { listing: Some(PodListing { at: T0, pods: pods.to_vec() }), ..DrainMemory::default() }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    fn graceful() -> DrainUrgency {
        DrainUrgency::Graceful { time_left: Duration::from_secs(7200) }
    }

    fn actions(memory: &DrainMemory, urgency: DrainUrgency, now: Timestamp) -> Vec<MachineAction> {
        match plan(memory, &MachineSettings::default(), urgency, now) {
            DrainProgress::Going { actions, .. } => actions,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn drain_skips_daemonset_pods_and_mirror_pods() {
        let daemon = PodOnNode { controller_kind: Some("DaemonSet".into()), ..pod("d") };
        let mirror = PodOnNode { mirror: true, ..pod("m") };
        let progress = plan(&memory(&[daemon, mirror]), &MachineSettings::default(), graceful(), T0);
        assert_eq!(progress, DrainProgress::Done);
    }

    #[test]
    fn nothing_is_said_before_the_pods_are_listed_and_an_old_listing_says_nothing() {
        let settings = MachineSettings::default();
        let must_list = DrainProgress::MustList { after: Duration::ZERO };
        assert_eq!(plan(&DrainMemory::default(), &settings, graceful(), T0), must_list);
        assert_eq!(plan(&memory(&[]), &settings, graceful(), at(10)), must_list);
    }

    #[test]
    fn critical_pods_go_after_the_workload_is_gone() {
        let critical = PodOnNode { priority: 2_000_000_000, ..pod("dns") };
        let only = |list: &[PodOnNode]| actions(&memory(list), graceful(), T0);
        assert_eq!(only(&[critical.clone(), pod("web")]), [MachineAction::EvictPod(pod("web").id)]);
        let ending = PodOnNode { deleted_at: Some(T0), ..pod("web") };
        assert_eq!(only(&[critical.clone(), ending]), []);
        assert_eq!(only(std::slice::from_ref(&critical)), [MachineAction::EvictPod(critical.id)]);
    }

    #[test]
    fn a_disruption_budget_is_not_overridden_before_twenty_seconds_for_each_retry() {
        let settings = MachineSettings { max_evict_retries: 2, ..MachineSettings::default() };
        let mut memory = memory(&[pod("web")]);
        let blocked = || EvictionOutcome::Blocked { budget: "default/web".into() };
        memory.tried("uid-web", T0, blocked());
        let next = |memory: &DrainMemory, now| match plan(memory, &settings, graceful(), now) {
            DrainProgress::Going { actions, description, .. } => (actions, description),
            other => panic!("{other:?}"),
        };
        let (actions, description) = next(&memory, at(1));
        assert_eq!(actions, []);
        assert!(
            description.contains("default/web is held back by disruption budget default/web"),
            "{description}"
        );
        memory.listing = Some(PodListing { at: at(6), pods: vec![pod("web")] });
        assert_eq!(next(&memory, at(6)).0, [MachineAction::EvictPod(pod("web").id)]);
        memory.tried("uid-web", at(6), blocked());
        memory.listing = Some(PodListing { at: at(39), pods: vec![pod("web")] });
        assert_eq!(next(&memory, at(39)).0, [MachineAction::EvictPod(pod("web").id)]);
        memory.listing = Some(PodListing { at: at(41), pods: vec![pod("web")] });
        assert_eq!(next(&memory, at(41)).0, [MachineAction::DeletePod(pod("web").id)]);
    }

    #[test]
    fn a_forced_drain_deletes_every_pod_once_and_waits_for_none() {
        let mut memory = memory(&[pod("web")]);
        assert_eq!(actions(&memory, DrainUrgency::Forced, T0), [MachineAction::DeletePod(pod("web").id)]);
        memory.tried("uid-web", T0, EvictionOutcome::Accepted);
        assert_eq!(plan(&memory, &MachineSettings::default(), DrainUrgency::Forced, T0), DrainProgress::Done);
    }

    #[test]
    fn a_pod_whose_kubelet_is_dead_is_deleted_after_its_grace() {
        let mut memory = memory(&[PodOnNode { deleted_at: Some(T0), ..pod("web") }]);
        assert_eq!(actions(&memory, graceful(), at(1)), []);
        memory.listing.as_mut().unwrap().at = at(40);
        assert_eq!(actions(&memory, graceful(), at(40)), [MachineAction::DeletePod(pod("web").id)]);
    }
}
