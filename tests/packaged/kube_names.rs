//! Names as kubectl takes them.

/// The four kinds of a fleet, for `kubectl get`.
pub(crate) const EVERYTHING: &str = "machineclasses,machinedeployments,machinesets,machines,events";
/// The annotation that ranks machines when some must go.
pub(crate) const PRIORITY: &str = "machinepriority.machine.sapcloud.io";
/// Our finalizer.
pub(crate) const FINALIZER: &str = "machine.sapcloud.io/machine-controller-manager";
