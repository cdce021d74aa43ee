//! An entry of a provider's list: a VM, or something a VM left behind.

use k8s_openapi::jiff::Timestamp;

/// Something that exists in the cloud within a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The id: of a VM the same bytes as from `create` and `status`; of a leftover the cloud's own id.
    pub id: String,
    /// Name of the machine it was made for.
    pub machine_name: String,
    /// UID of the machine it was made for, where the cloud keeps it.
    pub machine_uid: Option<String>,
    /// When it was made, where the cloud says so.
    pub created_at: Option<Timestamp>,
    /// What it is.
    pub kind: ListedKind,
}

/// What a listed thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListedKind {
    /// A VM.
    Vm,
    /// A part of a VM that outlived it.
    Leftover(LeftoverKind),
}

/// Kinds of parts that can outlive their VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftoverKind {
    /// A network interface or port.
    Nic,
    /// A disk.
    Disk,
    /// An address.
    Address,
}
