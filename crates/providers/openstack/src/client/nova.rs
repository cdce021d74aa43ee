//! Nova's servers: what is read of them, and their list.

use std::collections::BTreeMap;

use jiff::Timestamp;
use millwright_api::MachineCode;
use millwright_cloud_http::Urgency;
use millwright_provider::ProviderError;
use serde::{Deserialize, Deserializer};

use super::calls::{Call, Calls};
use super::refusal::{CLOUD, CallError};
use super::service::Service;

/// A server, as far as it matters here.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Server {
    pub(crate) id: String,
    /// Missing of a server whose cell is down.
    pub(crate) name: Option<String>,
    pub(crate) status: Status,
    #[serde(rename = "OS-EXT-STS:task_state")]
    pub(crate) task: Option<String>,
    pub(crate) metadata: Option<BTreeMap<String, String>>,
    #[serde(default)]
    pub(crate) addresses: BTreeMap<String, Vec<Address>>,
    pub(crate) created: Option<Timestamp>,
    pub(crate) fault: Option<Fault>,
    /// When it ran for the first time.
    #[serde(rename = "OS-SRV-USG:launched_at")]
    pub(crate) launched_at: Option<String>,
}

/// States of a server, as far as they differ here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Build,
    Active,
    Shutoff,
    Error,
    Gone,
    Other,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Address {
    pub(crate) addr: String,
    #[serde(rename = "OS-EXT-IPS:type")]
    pub(crate) kind: Option<String>,
}

/// Why a server is in status ERROR.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Fault {
    #[serde(default)]
    pub(crate) message: String,
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(match text.as_str() {
            "BUILD" => Self::Build,
            "ACTIVE" => Self::Active,
            "SHUTOFF" => Self::Shutoff,
            "ERROR" => Self::Error,
            "DELETED" | "SOFT_DELETED" => Self::Gone,
            _ => Self::Other,
        })
    }
}

impl Server {
    /// Whether it ends, or has ended.
    pub(crate) fn is_going(&self) -> bool {
        self.status == Status::Gone || self.task.as_deref() == Some("deleting")
    }

    /// Whether it can never have run.
    pub(crate) fn is_stillborn(&self) -> bool {
        self.status == Status::Error && self.launched_at.is_none()
    }

    pub(crate) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// A value of its metadata.
    pub(crate) fn tag(&self, key: &str) -> Option<&str> {
        self.metadata.as_ref()?.get(key).map(String::as_str)
    }
}

#[derive(Deserialize)]
struct Shown {
    server: Server,
}

/// All servers of the project. While servers are built Nova counts some twice and shows them once, so that a page is short and
/// names no next one although there are more: the list has ended when a page is empty, and not before.
pub(crate) async fn list(calls: &Calls<'_>) -> Result<Vec<Server>, CallError> {
    let call = Call {
        operation: "servers.list",
        urgency: Urgency::Poll,
        service: Service::Compute,
        path: "/servers/detail",
    };
    let servers = calls.list_until_empty(call, "servers", |server: &Server| server.id.clone()).await?;
    servers.iter().try_for_each(must_be_whole)?;
    Ok(servers)
}

/// One server, by its id.
pub(crate) async fn show(calls: &Calls<'_>, id: &str) -> Result<Option<Server>, CallError> {
    let path = format!("/servers/{id}");
    let call =
        Call { operation: "servers.show", urgency: Urgency::Poll, service: Service::Compute, path: &path };
    match calls.get::<Shown>(call).await {
        Ok(Shown { server }) => must_be_whole(&server).map(|()| Some(server)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Ends a server; one that is not there has ended.
pub(crate) async fn delete(calls: &Calls<'_>, id: &str) -> Result<(), CallError> {
    let path = format!("/servers/{id}");
    let call = Call {
        operation: "servers.delete",
        urgency: Urgency::Delete,
        service: Service::Compute,
        path: &path,
    };
    calls.delete(call).await
}

/// Of a server whose cell is down Nova tells neither name nor metadata, so nobody can say whose it is.
fn must_be_whole(server: &Server) -> Result<(), CallError> {
    if server.name.is_some() && server.metadata.is_some() {
        return Ok(());
    }
    let message = format!(
        "{CLOUD}: servers.list: a cell of Nova is down: server {} is shown without name and metadata, so that the list says too little",
        server.id
    );
    Err(ProviderError::new(MachineCode::Unavailable, message).into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_server_of_a_cell_that_is_down_makes_the_list_an_error() {
        let server: Server =
            serde_json::from_value(json!({ "id": "a", "status": "UNKNOWN", "links": [] })).unwrap();
        let error = must_be_whole(&server).unwrap_err();
        assert_eq!(ProviderError::from(error).code, MachineCode::Unavailable);
    }

    #[test]
    fn only_a_server_that_never_ran_is_stillborn() {
        let server = |launched: serde_json::Value| -> Server {
            serde_json::from_value(json!({
                "id": "a", "name": "n", "status": "ERROR", "metadata": {}, "OS-SRV-USG:launched_at": launched,
                "fault": { "message": "No valid host was found.", "code": 500 },
            }))
            .unwrap()
        };
        assert!(server(json!(null)).is_stillborn());
        assert!(!server(json!("2026-01-01T00:00:00.000000")).is_stillborn());
    }
}
