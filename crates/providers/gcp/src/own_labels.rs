//! The labels that every VM and every disk of ours carries.

/// Holds the UID of the machine that a VM was made for; Kubermatic's machine-controller finds its VMs by it.
pub(crate) const MACHINE_UID: &str = "machine_uid";
/// Holds the name of that machine.
pub(crate) const MACHINE_NAME: &str = "machine_name";
