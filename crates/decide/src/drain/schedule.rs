//! When the pods are listed again. Nobody tells when a pod has ended, and a watch for each node that is drained would
//! be one connection for each.

use std::time::Duration;

use jiff::Timestamp;

use super::graceful::is_in_doubt;
use super::volumes::later;
use super::{DrainMemory, EvictionOutcome, PodOnNode};
use crate::backoff::Backoff;
use crate::elapsed::elapsed;

/// How old a listing may be before it says nothing any more. Long, because a queue of requests must not make it old
/// before it is looked at: no drain would ever end.
pub(super) const LISTING_LIFE: Duration = Duration::from_secs(120);
/// While pods end: each look waits about as long as all looks since the last eviction have taken together.
const WHILE_PODS_END: Backoff =
    Backoff { base: Duration::from_secs(1), factor: 2.0, max: Duration::from_secs(15) };
/// While none does: only pods that somebody else deletes are missed, and their next eviction finds out.
const WHILE_NONE_ENDS: Duration = Duration::from_secs(60);
/// Time from a pod's forced end to the end of its object.
const LAST_MOMENT: Duration = Duration::from_secs(1);

/// When to list next. With the pods, volumes left behind are looked for, as long as there is time to wait for them.
pub(super) fn next_listing(
    memory: &DrainMemory,
    left: &[&PodOnNode],
    leftovers_until: Option<Timestamp>,
    now: Timestamp,
) -> Timestamp {
    let Some(listing) = &memory.listing else { return now };
    let ends = |pod: &&&PodOnNode| {
        pod.deleted_at.is_some()
            || memory
                .evictions
                .get(&pod.id.uid)
                .is_some_and(|record| record.outcome == EvictionOutcome::Accepted && record.at >= listing.at)
    };
    let is_unknown =
        |pod: &&&PodOnNode| memory.volumes.get(&pod.id.uid).is_some_and(|volumes| volumes.look_up.is_open());
    let is_awaited = |pod: &&PodOnNode| ends(&pod) || is_unknown(&pod) || is_in_doubt(memory, pod);
    if leftovers_until.is_none() && !left.iter().any(is_awaited) {
        return later(listing.at, WHILE_NONE_ENDS);
    }
    let from = memory.accepted_at.map_or(listing.at, |accepted| accepted.max(listing.at));
    let wait = WHILE_PODS_END.delay(memory.listings_since, 0.0);
    let regular = later(from, wait);
    // The deletion timestamp of a pod contains its grace time: a look just before it is in vain.
    let end = left
        .iter()
        .filter_map(|pod| pod.deleted_at)
        .map(|deleted| later(deleted, LAST_MOMENT))
        .filter(|end| *end > from.max(listing.at))
        .min();
    match end {
        Some(end) if elapsed(regular, end) <= wait / 2 => end,
        _ => regular,
    }
}
