//! What a provider sees of a Machine.

use std::collections::BTreeMap;

use crate::ProviderState;

/// The machine a call is about. Of an orphan only name, namespace and provider id are known, and the UID
/// where its VM is tagged with it.
#[derive(Clone, Debug, Default)]
pub struct MachineView {
    /// Name of the machine, and of its VM.
    pub name: String,
    /// Namespace of the machine.
    pub namespace: String,
    /// UID of the machine: the idempotency key of its creation. `None` for an orphan whose VM does not tell it.
    pub uid: Option<String>,
    /// The cloud's id, once known.
    pub provider_id: Option<String>,
    /// Name of the node, once known.
    pub node_name: Option<String>,
    /// The machine's labels.
    pub labels: BTreeMap<String, String>,
    /// Annotations of `spec.nodeTemplate.metadata`, where some clouds look for what a class does not say.
    pub node_annotations: BTreeMap<String, String>,
    /// What the provider asked to be remembered.
    pub state: Option<ProviderState>,
}
