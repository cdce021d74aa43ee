//! The API group and version that all four kinds belong to.

/// The API group, shared with Gardener's machine-controller-manager.
pub const GROUP: &str = "machine.sapcloud.io";
/// The only version; there is no conversion.
pub const VERSION: &str = "v1alpha1";
/// Group and version as objects carry them.
pub const API_VERSION: &str = "machine.sapcloud.io/v1alpha1";
/// The only class kind whose references are counted and looked up.
pub const MACHINE_CLASS_KIND: &str = "MachineClass";
