//! Neutron's ports: what is read of them, and their list.

use jiff::Timestamp;
use millwright_cloud_http::Urgency;
use serde::{Deserialize, Serialize};

use super::calls::{Call, Calls, escaped};
use super::refusal::CallError;
use super::service::Service;

/// A port, as far as it matters here.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Port {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) name: String,
    pub(crate) network_id: String,
    #[serde(default)]
    pub(crate) device_id: String,
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    #[serde(default)]
    pub(crate) description: Option<String>,
    #[serde(default)]
    pub(crate) allowed_address_pairs: Vec<Pair>,
    /// Missing where the cloud has no such thing.
    pub(crate) port_security_enabled: Option<bool>,
    pub(crate) created_at: Option<Timestamp>,
    pub(crate) revision_number: Option<u64>,
}

/// A source address that a port lets through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pair {
    pub(crate) ip_address: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mac_address: Option<String>,
}

impl Port {
    /// What says whose it is: its tags, and the words of its description.
    pub(crate) fn marks(&self) -> impl Iterator<Item = &str> {
        let words = self.description.as_deref().unwrap_or_default().split_whitespace();
        self.tags.iter().map(String::as_str).chain(words)
    }
}

/// All ports of the project. An administrator would be shown those of everybody.
pub(crate) async fn list(calls: &Calls<'_>) -> Result<Vec<Port>, CallError> {
    let path = format!("/ports?project_id={}", escaped(&calls.project().await?));
    let call =
        Call { operation: "ports.list", urgency: Urgency::Poll, service: Service::Network, path: &path };
    calls.list(call, "ports").await
}

/// Ends a port; one that is not there has ended.
pub(crate) async fn delete(calls: &Calls<'_>, id: &str) -> Result<(), CallError> {
    let path = format!("/ports/{id}");
    let call =
        Call { operation: "ports.delete", urgency: Urgency::Delete, service: Service::Network, path: &path };
    calls.delete(call).await
}
