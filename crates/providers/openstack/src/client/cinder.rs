//! Cinder's volumes: what is read of them, and their list.

use std::collections::BTreeMap;

use jiff::civil::DateTime;
use millwright_cloud_http::Urgency;
use serde::Deserialize;

use super::calls::{Call, Calls};
use super::refusal::CallError;
use super::service::Service;

/// A volume, as far as it matters here.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Volume {
    pub(crate) id: String,
    pub(crate) name: Option<String>,
    pub(crate) status: String,
    #[serde(default)]
    pub(crate) metadata: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) attachments: Vec<serde_json::Value>,
    /// In UTC, without saying so.
    pub(crate) created_at: Option<DateTime>,
}

impl Volume {
    /// Whether nobody uses it.
    pub(crate) fn is_free(&self) -> bool {
        self.attachments.is_empty() && self.status != "deleting"
    }

    /// Whether Cinder takes its deletion: not while it is being made.
    pub(crate) fn is_deletable(&self) -> bool {
        self.status == "available" || self.status.starts_with("error")
    }
}

/// All volumes of the project; none where there is no Cinder.
pub(crate) async fn list(calls: &Calls<'_>) -> Result<Vec<Volume>, CallError> {
    if !calls.has(Service::Volume).await? {
        return Ok(Vec::new());
    }
    let call = Call {
        operation: "volumes.list",
        urgency: Urgency::Poll,
        service: Service::Volume,
        path: "/volumes/detail",
    };
    calls.list(call, "volumes").await
}

/// Ends a volume; one that is not there has ended.
pub(crate) async fn delete(calls: &Calls<'_>, id: &str) -> Result<(), CallError> {
    let path = format!("/volumes/{id}");
    let call =
        Call { operation: "volumes.delete", urgency: Urgency::Delete, service: Service::Volume, path: &path };
    calls.delete(call).await
}
