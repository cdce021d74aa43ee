//! What a VM was told about its own health.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A VM's state of health.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// It works; a VM that was dead gets power again and re-joins.
    #[default]
    Ready,
    /// Its kubelet reports Ready=False and goes on renewing its lease.
    NotReady,
    /// It has no power: the lease is not renewed any more, the node goes Unknown.
    Dead,
    /// It never joins; only for a VM that has not joined yet.
    NeverJoin,
}

/// A VM's health, as `POST /v1/vms/{id}/health` sets it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Health {
    /// The overall state.
    pub state: State,
    /// Further node conditions to report, by type: `"True"`, `"False"` or `"Unknown"`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub conditions: BTreeMap<String, String>,
}

impl From<State> for Health {
    fn from(state: State) -> Self {
        Self { state, conditions: BTreeMap::new() }
    }
}
