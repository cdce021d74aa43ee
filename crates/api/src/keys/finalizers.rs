//! Finalizers, with the object they stand on.

/// Machine, MachineSet, MachineDeployment and MachineClass.
pub const MACHINE: &str = "machine.sapcloud.io/machine-controller-manager";

/// Secret that a MachineClass names.
pub const SECRET: &str = "machine.sapcloud.io/machine-controller";

/// Node of a machine: keeps it until its VM is gone.
pub const NODE: &str = "node.machine.sapcloud.io/machine-controller";
