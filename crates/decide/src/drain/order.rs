//! In which order pods are evicted.

use super::PodOnNode;

/// Priority from which pods count as critical to the cluster (`system-cluster-critical` and above).
const CRITICAL: i32 = 2_000_000_000;

/// Workloads first, critical pods after the last of them is gone, higher priority later.
pub(super) fn evictable_now<'a>(pods: &[&'a PodOnNode]) -> Vec<&'a PodOnNode> {
    let tier = |pod: &PodOnNode| if pod.priority >= CRITICAL { pod.priority } else { 0 };
    let Some(first) = pods.iter().map(|pod| tier(pod)).min() else { return Vec::new() };
    pods.iter().filter(|pod| tier(pod) == first).copied().collect()
}
