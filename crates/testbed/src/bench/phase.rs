//! The figures of one phase, as they are written to the JSON file.

use std::collections::BTreeMap;

use serde::Serialize;

/// One phase.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Phase {
    /// How many machines it was about.
    pub(super) machines: u32,
    /// How long it took.
    pub(super) seconds: f64,
    /// Processor time of the controller, in user and system mode.
    pub(super) cpu_seconds: f64,
    /// The most memory that the controller had in this phase.
    pub(super) peak_rss_mib: f64,
    /// Requests to the API server, without those of the bench and of the simulated cloud's VMs.
    pub(super) api_requests: u64,
    /// Those of them that ask for a change.
    pub(super) api_writes: u64,
    /// Calls of the simulated cloud.
    pub(super) cloud_calls: u64,
    /// The API requests by verb and resource.
    pub(super) by: BTreeMap<String, u64>,
    /// Requests that the controller counted itself; the API server has some more of its own.
    #[serde(skip)]
    pub(super) own_count: u64,
    /// The cloud calls by operation.
    pub(super) cloud_by: BTreeMap<String, u64>,
    /// From the controller's start to the first VM that it makes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) first_vm_seconds: Option<f64>,
}
