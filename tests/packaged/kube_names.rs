//! Names as kubectl takes them.

/// The four kinds of a fleet, for `kubectl get`.
pub(crate) const EVERYTHING: &str = "machineclasses,machinedeployments,machinesets,machines,events";
/// The annotation that ranks machines when some must go.
pub(crate) const PRIORITY: &str = "machinepriority.machine.sapcloud.io";
/// Our finalizer.
pub(crate) const FINALIZER: &str = "machine.sapcloud.io/machine-controller-manager";
/// Where bootstrap tokens are.
pub(crate) const KUBE_SYSTEM: &str = "kube-system";
/// Label of a bootstrap token: UID of the machine it was made for.
pub(crate) const MACHINE_UID_LABEL: &str = "node.machine.sapcloud.io/machine-uid";
