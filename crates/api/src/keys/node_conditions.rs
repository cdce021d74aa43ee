//! Types of node conditions that are read or written.

/// Kubelet: the node can run pods.
pub const READY: &str = "Ready";

/// Ours: the machine is being deleted.
pub const TERMINATING: &str = "Terminating";

/// Ours and the node agent: the state of an in-place update.
pub const IN_PLACE_UPDATE: &str = "InPlaceUpdate";

/// Node problem detector: the disk went read-only.
pub const READONLY_FILESYSTEM: &str = "ReadonlyFilesystem";

/// Ours: the machine is preserved.
pub const PRESERVED: &str = "Preserved";
