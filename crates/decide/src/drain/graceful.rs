//! Which pods are asked to go now, as long as there is time to ask.

use std::cmp::Reverse;
use std::time::Duration;

use jiff::Timestamp;

use super::eviction::{EvictionOutcome, EvictionWay};
use super::order::{first_tier, tier};
use super::plan::DrainView;
use super::volumes::{VolumeStage, later};
use super::{DrainMemory, PodOnNode};
use crate::elapsed::elapsed;
use crate::machine::MachineAction;
use crate::settings::MachineSettings;

/// What one of `maxEvictRetries` stands for. Gardener's controller tries every 20 s; we may try more often,
/// and override a disruption budget no sooner.
const RETRY_WORTH: Duration = Duration::from_secs(20);
/// Time beyond a pod's grace after which it is said that it should have ended. It is not deleted without grace for that: its
/// kubelet may be busy with its volumes, and its name would be given to a replacement while it still runs.
const GRACE_SLACK: Duration = Duration::from_secs(30);

/// Evictions, and deletions of pods that their budgets held back for too long.
pub(super) fn actions(view: &DrainView<'_>, left: &[&PodOnNode], now: Timestamp) -> Vec<MachineAction> {
    let memory = view.memory;
    let due = |pod: &&&PodOnNode| is_evictable(memory, pod) && wait_left(memory, pod, now).is_zero();
    let turn = in_turn(memory, left);
    let (mut with_volumes, without): (Vec<&PodOnNode>, Vec<&PodOnNode>) =
        turn.iter().filter(due).copied().partition(|pod| has_volumes(memory, pod));
    with_volumes.sort_by_key(|pod| (Reverse(pod.priority), &pod.id));
    with_volumes.truncate(free_places(memory, left, view.settings));
    without.into_iter().chain(with_volumes).map(|pod| ask(view, pod, now)).collect()
}

/// Pods whose turn it is. A later tier waits until every pod of an earlier one is gone, not only evicted, and until its
/// volumes are detached: what detaches them may be a pod of the later tier.
pub(super) fn in_turn<'a>(memory: &DrainMemory, left: &[&'a PodOnNode]) -> Vec<&'a PodOnNode> {
    let Some(first) = first_tier(left) else { return Vec::new() };
    let detaching = memory
        .volumes
        .values()
        .any(|pod| matches!(pod.stage, VolumeStage::Detaching { .. }) && tier(pod.priority) < first);
    if detaching {
        return Vec::new();
    }
    left.iter().filter(|pod| tier(pod.priority) == first).copied().collect()
}

/// It can be asked to go: it was not asked successfully, and what is known of its volumes suffices.
pub(super) fn is_evictable(memory: &DrainMemory, pod: &PodOnNode) -> bool {
    pod.deleted_at.is_none()
        && memory.volumes.get(&pod.id.uid).is_none_or(|volumes| !volumes.look_up.is_open())
}

/// How long to wait before the pod is asked again.
pub(super) fn wait_left(memory: &DrainMemory, pod: &PodOnNode, now: Timestamp) -> Duration {
    memory.evictions.get(&pod.id.uid).map_or(Duration::ZERO, |record| record.wait_left(&pod.id.uid, now))
}

/// Volumes that are followed.
pub(super) fn has_volumes(memory: &DrainMemory, pod: &PodOnNode) -> bool {
    !memory.tracked(&pod.id.uid).is_empty()
}

/// How many more pods with volumes may be asked to go.
pub(super) fn free_places(memory: &DrainMemory, left: &[&PodOnNode], settings: &MachineSettings) -> usize {
    let on_their_way = memory.volumes.values().filter(|pod| pod.is_on_its_way()).count();
    let in_doubt = left.iter().filter(|pod| is_in_doubt(memory, pod)).count();
    settings.parallel_volume_evictions.max(1).saturating_sub(on_their_way + in_doubt)
}

/// A try without a clear answer may have been successful, until a listing shows that it was not.
pub(super) fn is_in_doubt(memory: &DrainMemory, pod: &PodOnNode) -> bool {
    let listed_at = memory.listing.as_ref().map(|listing| listing.at);
    has_volumes(memory, pod)
        && memory.volumes.get(&pod.id.uid).is_some_and(|volumes| !volumes.is_on_its_way())
        && memory.evictions.get(&pod.id.uid).is_some_and(|record| {
            matches!(record.outcome, EvictionOutcome::Failed { .. })
                && listed_at.is_none_or(|listed| listed <= record.at)
        })
}

fn ask(view: &DrainView<'_>, pod: &PodOnNode, now: Timestamp) -> MachineAction {
    let settings = view.settings;
    let patience = RETRY_WORTH.saturating_mul(settings.max_evict_retries).min(settings.drain_timeout);
    let record = view.memory.evictions.get(&pod.id.uid);
    if record.is_some_and(|record| elapsed(record.first_at.max(view.trusted_since), now) >= patience) {
        MachineAction::DeletePod(pod.id.clone())
    } else {
        MachineAction::EvictPod(pod.id.clone())
    }
}

/// A pod that should have ended long ago. The deletion timestamp of a pod already contains its grace time.
pub(super) fn is_overdue(view: &DrainView<'_>, pod: &PodOnNode, now: Timestamp) -> bool {
    overdue_after(view, pod).is_some_and(|limit| now > limit)
}

/// When a pod that ends is overdue. Its kubelet could confirm nothing to an API server that was away.
pub(super) fn overdue_after(view: &DrainView<'_>, pod: &PodOnNode) -> Option<Timestamp> {
    pod.deleted_at.map(|deleted| later(deleted.max(view.trusted_since), GRACE_SLACK))
}

/// Whether the pod was deleted without grace, with whatever success.
pub(super) fn was_deleted(memory: &DrainMemory, pod: &PodOnNode) -> bool {
    memory.evictions.get(&pod.id.uid).is_some_and(|record| record.way == EvictionWay::Deleted)
}
