//! The part of a pod that a drain reads.

use std::time::Duration;

use jiff::Timestamp;

/// Which pod, exactly: a pod of the same name with another UID is another pod.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PodIdentity {
    /// Namespace of the pod.
    pub namespace: String,
    /// Name of the pod.
    pub name: String,
    /// UID of the pod.
    pub uid: String,
}

/// A pod on the node that is drained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodOnNode {
    /// Which pod.
    pub id: PodIdentity,
    /// Kind of the controller that owns it, if one does.
    pub controller_kind: Option<String>,
    /// A mirror of a static pod: only the kubelet can end it.
    pub mirror: bool,
    /// When its deletion was asked for.
    pub deleted_at: Option<Timestamp>,
    /// The time it may take to end.
    pub grace: Duration,
    /// Its priority; higher goes later.
    pub priority: i32,
}
