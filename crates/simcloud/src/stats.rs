//! Counters: cloud calls by operation, and the requests the simulator's own machines sent to Kubernetes.
//!
//! A bench subtracts the second kind from what the API server counted.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use serde::Serialize;

use crate::operation::Operation;

/// Counters since the process started, as `GET /v1/stats` shows them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// Cloud calls by operation, counted when they arrive.
    pub calls: BTreeMap<Operation, u64>,
    /// Requests to Kubernetes API servers by verb (as RBAC names it), then resource.
    pub kubernetes: BTreeMap<String, BTreeMap<String, u64>>,
    /// VMs that exist.
    pub vms: usize,
    /// VMs whose node is registered.
    pub joined: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    calls: Mutex<BTreeMap<Operation, u64>>,
    kubernetes: Mutex<BTreeMap<(&'static str, &'static str), u64>>,
}

impl Counters {
    pub(crate) fn called(&self, operation: Operation) {
        *self.calls.lock().entry(operation).or_default() += 1;
    }

    pub(crate) fn sent(&self, verb: &'static str, resource: &'static str) {
        *self.kubernetes.lock().entry((verb, resource)).or_default() += 1;
    }

    pub(crate) fn read(&self) -> Stats {
        let mut kubernetes: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
        for ((verb, resource), count) in self.kubernetes.lock().iter() {
            kubernetes.entry((*verb).to_owned()).or_default().insert((*resource).to_owned(), *count);
        }
        Stats { calls: self.calls.lock().clone(), kubernetes, ..Stats::default() }
    }
}
