//! Taint keys on nodes.

/// Keeps a machine Pending while present.
pub const CRITICAL_COMPONENTS_NOT_READY: &str = "node.gardener.cloud/critical-components-not-ready";

/// On nodes of outdated sets, value `True`, effect PreferNoSchedule.
pub const PREFER_NO_SCHEDULE: &str = "deployment.machine.sapcloud.io/prefer-no-schedule";

/// On the node of a preserved failed machine, effect NoSchedule.
pub const PRESERVED: &str = "node.machine.sapcloud.io/preserved";
