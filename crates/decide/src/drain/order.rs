//! In which order pods are evicted.

use super::PodOnNode;

/// Priority from which pods count as critical to the cluster (`system-cluster-critical` and above).
const CRITICAL: i32 = 2_000_000_000;

/// Pods of one tier go together: workloads first, critical pods after the last of them is gone, higher priority later.
pub(super) const fn tier(priority: i32) -> i32 {
    if priority >= CRITICAL { priority } else { 0 }
}

/// The tier whose turn it is.
pub(super) fn first_tier(pods: &[&PodOnNode]) -> Option<i32> {
    pods.iter().map(|pod| tier(pod.priority)).min()
}
