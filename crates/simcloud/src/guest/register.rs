//! A node object's registration and status, as the node itself writes them.

use std::ops::ControlFlow;

use http::StatusCode;
use k8s_openapi::api::core::v1::Node;
use serde::Deserialize;
use serde_json::json;

use super::Guest;
use super::conditions::Conditions;
use super::kubelet::Ended;
use super::patience::Patience;
use crate::kube::{Call, KubeClient, KubeError};

const NODES: &str = "/api/v1/nodes";

/// What matters of a node object that the API server has.
#[derive(Deserialize)]
struct There {
    metadata: Metadata,
    #[serde(default)]
    spec: Spec,
    #[serde(default)]
    status: Status,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    uid: String,
}

#[derive(Default, Deserialize)]
struct Spec {
    #[serde(default, rename = "providerID")]
    provider_id: String,
}

#[derive(Default, Deserialize)]
struct Status {
    #[serde(default)]
    conditions: Vec<ShownCondition>,
}

/// A condition of the node object, whoever wrote it.
#[derive(Deserialize)]
pub(super) struct ShownCondition {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) status: String,
}

/// Creates the node, or takes over the object that is there already, however long that takes; yields its UID.
pub(super) async fn run(guest: &Guest, client: &KubeClient, node: Node) -> String {
    let mut patience = Patience::default();
    loop {
        match attempt(guest, client, &node).await {
            Ok(uid) => return uid,
            Err(error) => guest.print(error.to_string()),
        }
        patience.wait().await;
    }
}

async fn attempt(guest: &Guest, client: &KubeClient, node: &Node) -> Result<String, KubeError> {
    match client.send::<There>(Call::create("nodes", NODES.to_owned(), node)).await {
        Ok(created) => Ok(created.metadata.uid),
        Err(error) if error.status() == Some(StatusCode::CONFLICT) => take_over(guest, client, node).await,
        Err(error) => Err(error),
    }
}

async fn take_over(guest: &Guest, client: &KubeClient, node: &Node) -> Result<String, KubeError> {
    let path = path(node.metadata.name.as_deref().unwrap_or_default());
    let labels = json!({ "metadata": { "labels": node.metadata.labels } });
    let there: There = client.send(Call::merge_patch("nodes", path.clone(), &labels)).await?;
    if there.spec.provider_id != guest.vm.provider_id() {
        // A kubelet does not notice either; whoever compares provider ids has to.
        guest.print(format!("the node object is another VM's: {}", there.spec.provider_id));
    }
    let status = json!({ "status": node.status });
    client.tell(Call::strategic_patch("nodes/status", format!("{path}/status"), &status)).await?;
    Ok(there.metadata.uid)
}

/// Posts the conditions; continues with whether that worked, breaks when the node is gone.
pub(super) async fn post_status(
    guest: &Guest,
    client: &KubeClient,
    name: &str,
    conditions: &Conditions,
) -> ControlFlow<Ended, bool> {
    let status = json!({ "status": { "conditions": conditions.to_list() } });
    let call = Call::strategic_patch("nodes/status", format!("{}/status", path(name)), &status);
    match client.tell(call).await {
        Ok(()) => ControlFlow::Continue(true),
        Err(error) if error.status() == Some(StatusCode::NOT_FOUND) => ControlFlow::Break(Ended::NodeGone),
        Err(error) => {
            guest.print(error.to_string());
            ControlFlow::Continue(false)
        }
    }
}

/// What the node object shows; continues with nothing when nobody answered, breaks when the node is gone.
pub(super) async fn shown(
    guest: &Guest,
    client: &KubeClient,
    name: &str,
) -> ControlFlow<Ended, Option<Vec<ShownCondition>>> {
    match client.send::<There>(Call::get("nodes", path(name))).await {
        Ok(there) => ControlFlow::Continue(Some(there.status.conditions)),
        Err(error) if error.status() == Some(StatusCode::NOT_FOUND) => ControlFlow::Break(Ended::NodeGone),
        Err(error) => {
            guest.print(error.to_string());
            ControlFlow::Continue(None)
        }
    }
}

/// Whether the node object is still there.
pub(super) async fn is_there(client: &KubeClient, name: &str) -> Result<bool, KubeError> {
    match client.tell(Call::get("nodes", path(name))).await {
        Ok(()) => Ok(true),
        Err(error) if error.status() == Some(StatusCode::NOT_FOUND) => Ok(false),
        Err(error) => Err(error),
    }
}

fn path(name: &str) -> String {
    format!("{NODES}/{name}")
}
