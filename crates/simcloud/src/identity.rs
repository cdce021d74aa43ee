//! Who a VM is to its cluster: where the API server is, and the certificate it got there.
//!
//! Kept in the state file, so that a VM comes back after a restart of the cloud as the node it was.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::secret::Secret;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Identity {
    pub(crate) node_name: String,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) server: String,
    pub(crate) ca_pem: String,
    pub(crate) certificate_pem: String,
    pub(crate) key_pem: Secret,
}
