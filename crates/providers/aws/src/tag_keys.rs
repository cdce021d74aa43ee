//! Keys of the tags that we set ourselves.

/// The name of the machine.
pub(crate) const NAME: &str = "Name";
/// The UID of the machine: who finds it on a VM knows whose it is. Kubermatic's key, so that one look-up serves both dialects.
///
/// On a disk or a network interface it says that the part goes with its machine; parts that the class keeps do not carry it.
pub(crate) const UID: &str = "Machine-UID";
