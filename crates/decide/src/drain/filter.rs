//! Which pods a drain is about.

use super::PodOnNode;

/// Pods that must be gone before the VM is deleted. Mirror pods die with the kubelet, and a DaemonSet
/// would put its pod back at once.
pub(super) fn must_go(pod: &PodOnNode) -> bool {
    !pod.mirror && pod.controller_kind.as_deref() != Some("DaemonSet")
}
