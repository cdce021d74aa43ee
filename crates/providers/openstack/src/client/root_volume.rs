//! The root disk as a volume of its own: made before its server, under the machine's name, and waited for across calls.

use std::sync::Arc;
use std::time::Instant;

use millwright_api::MachineCode;
use millwright_cloud_http::Urgency;
use millwright_provider::{MachineView, ProviderError, Scope};
use serde::Deserialize;
use serde_json::{Value, json};

use super::calls::{Call, Calls};
use super::cinder::{self, Volume};
use super::find::fits;
use super::refusal::{CLOUD, CallError};
use super::service::Service;
use crate::spec::{Spec, UID_TAG};

/// How far a root volume is.
pub(crate) enum RootVolume {
    Ready(String),
    /// Cinder is still at it.
    Coming(String),
}

#[derive(Deserialize)]
struct Made {
    volume: Volume,
}

/// A list of all volumes that began at `since` or later.
pub(crate) async fn all(calls: &Calls<'_>, since: Instant) -> Result<Arc<Vec<Volume>>, CallError> {
    let key = calls.region.to_owned();
    calls.cloud.volumes.since(key, since, || calls.now(), || cinder::list(calls)).await
}

pub(crate) fn uid(volume: &Volume) -> Option<&str> {
    volume.metadata.get(UID_TAG).map(String::as_str).filter(|uid| !uid.is_empty())
}

pub(crate) fn in_scope(volume: &Volume, scope: &Scope) -> bool {
    volume.metadata.contains_key(&scope.cluster) && volume.metadata.contains_key(&scope.role)
}

/// The machine's volumes that no server has.
pub(crate) fn free<'v>(volumes: &'v [Volume], machine: &MachineView, scope: &Scope) -> Vec<&'v Volume> {
    let is_its = |volume: &&Volume| {
        volume.name.as_deref() == Some(&machine.name) && in_scope(volume, scope) && fits(uid(volume), machine)
    };
    volumes.iter().filter(is_its).filter(|volume| volume.is_free()).collect()
}

/// The machine's volume; asked for where there is none. One that failed is deleted, and the error says so.
pub(crate) async fn ensure(
    calls: &Calls<'_>,
    spec: &Spec,
    (gib, volume_type): (u32, &str),
    image: &str,
    machine: &MachineView,
    scope: &Scope,
    since: Instant,
) -> Result<RootVolume, CallError> {
    let volumes = all(calls, since).await?;
    if let Some(volume) = free(&volumes, machine, scope).first() {
        return match volume.status.as_str() {
            "available" => Ok(RootVolume::Ready(volume.id.clone())),
            status if status.starts_with("error") => {
                cinder::delete(calls, &volume.id).await?;
                let message = format!(
                    "{CLOUD}: volumes.create: Cinder could not make volume {} of type {volume_type:?} ({status}); it was deleted",
                    volume.id
                );
                Err(ProviderError::new(MachineCode::Internal, message).into())
            }
            _ => Ok(RootVolume::Coming(volume.id.clone())),
        };
    }
    let mut metadata = json!(spec.tags);
    metadata[UID_TAG] = json!(machine.uid);
    let mut volume = json!({
        "name": machine.name, "size": gib, "volume_type": volume_type, "imageRef": image, "metadata": metadata,
    });
    if let Some(zone) = &spec.availability_zone {
        volume["availability_zone"] = Value::String(zone.clone());
    }
    let call = Call {
        operation: "volumes.create",
        urgency: Urgency::Create,
        service: Service::Volume,
        path: "/volumes",
    };
    let Made { volume } = calls.post(call, &json!({ "volume": volume })).await?;
    Ok(RootVolume::Coming(volume.id))
}
