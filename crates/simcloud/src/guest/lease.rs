//! The lease by which a control plane sees that a node is alive.

use std::time::Duration;

use http::StatusCode;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta, OwnerReference};
use serde_json::json;
use tokio::time::{MissedTickBehavior, interval_at};

use super::kubelet::Ended;
use super::{Guest, offset, register};
use crate::clock;
use crate::kube::{Call, KubeClient, KubeError};

const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const RENEW_EVERY: Duration = Duration::from_secs(10);
const LASTS_SECONDS: i32 = 40;

/// Renews the lease until the node is gone.
pub(super) async fn keep(guest: &Guest, client: &KubeClient, name: &str, node_uid: &str) -> Ended {
    if let Err(error) = create(client, name, node_uid).await
        && error.status() != Some(StatusCode::CONFLICT)
    {
        guest.print(error.to_string());
    }
    let mut tick = interval_at(tokio::time::Instant::now() + offset(guest, RENEW_EVERY), RENEW_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        match renew(client, name, node_uid).await {
            Ok(true) => {}
            Ok(false) => return Ended::NodeGone,
            Err(error) => guest.print(error.to_string()),
        }
    }
}

/// Renews the lease, or makes it again when it is gone but the node is not; false: both are gone.
async fn renew(client: &KubeClient, name: &str, node_uid: &str) -> Result<bool, KubeError> {
    let patch = json!({ "spec": { "renewTime": MicroTime(clock::now()), "holderIdentity": name } });
    match client.tell(Call::merge_patch("leases", format!("{LEASES}/{name}"), &patch)).await {
        Err(error) if error.status() == Some(StatusCode::NOT_FOUND) => {
            if !register::is_there(client, name).await? {
                return Ok(false);
            }
            create(client, name, node_uid).await.map(|()| true)
        }
        result => result.map(|()| true),
    }
}

async fn create(client: &KubeClient, name: &str, node_uid: &str) -> Result<(), KubeError> {
    let lease = Lease {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            namespace: Some("kube-node-lease".to_owned()),
            owner_references: Some(vec![OwnerReference {
                api_version: "v1".to_owned(),
                kind: "Node".to_owned(),
                name: name.to_owned(),
                uid: node_uid.to_owned(),
                ..OwnerReference::default()
            }]),
            ..ObjectMeta::default()
        },
        spec: Some(LeaseSpec {
            holder_identity: Some(name.to_owned()),
            lease_duration_seconds: Some(LASTS_SECONDS),
            renew_time: Some(MicroTime(clock::now())),
            ..LeaseSpec::default()
        }),
    };
    client.tell(Call::create("leases", LEASES.to_owned(), &lease)).await
}
