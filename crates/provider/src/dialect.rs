//! In whose words a cloud's part of a class is written.

/// The two systems whose manifests are understood. Below the decoding of the spec a provider knows one kind of VM only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `MachineClass.providerSpec` as Gardener's provider of that cloud reads it. VMs are found by the tags of the class.
    #[default]
    Gardener,
    /// `providerSpec.value` of a Kubermatic Machine, every reference in it resolved (`crate::kubermatic`). VMs are found by
    /// the UID they are tagged with.
    Kubermatic,
}
