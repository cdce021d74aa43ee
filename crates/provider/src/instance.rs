//! A VM as its cloud reports it.

use k8s_openapi::api::core::v1::NodeAddress;

/// A VM that exists.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The id that goes into `spec.providerID`, byte for byte the same from every call.
    pub provider_id: String,
    /// The name its node will have; deterministic.
    pub node_name: String,
    /// Its addresses.
    pub addresses: Vec<NodeAddress>,
    /// Whether it runs.
    pub power: Power,
    /// Whether its post-creation steps are done.
    pub initialization: Initialization,
}

/// Power states of a VM. One that is being deleted or is terminated counts as not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// The cloud is making it.
    Creating,
    /// It runs.
    Running,
    /// It is switched off.
    Stopped,
    /// The cloud does not say.
    Unknown,
}

/// Whether the steps after creation are done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initialization {
    /// Nothing is missing.
    Done,
    /// Something is missing, and `initialize` will do it.
    Missing {
        /// What is missing.
        reason: String,
    },
}
