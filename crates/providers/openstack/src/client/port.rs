//! The port of a server in a network whose addresses the class arranges: made before its server, under the machine's name.

use std::sync::Arc;
use std::time::Instant;

use millwright_api::MachineCode;
use millwright_cloud_http::Urgency;
use millwright_provider::{MachineView, ProviderError, Scope};
use serde::Deserialize;
use serde_json::{Value, json};

use super::calls::{Call, Calls};
use super::find::fits;
use super::lookup::{self, Kind};
use super::neutron::{self, Port};
use super::nova::Server;
use super::refusal::{CLOUD, CallError};
use super::service::Service;
use crate::spec::{Named, Spec};

/// What stands before the UID in a port's tag: Neutron's tags have no values.
const UID_PREFIX: &str = "machine-uid=";

/// The port of a machine, and whether this attempt made it.
pub(crate) struct OwnPort {
    pub(crate) id: String,
    pub(crate) origin: Origin,
}

/// Where a port comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Made,
    Found,
}

#[derive(Deserialize)]
struct Made {
    port: Port,
}

/// A list of all ports that began at `since` or later.
pub(crate) async fn all(calls: &Calls<'_>, since: Instant) -> Result<Arc<Vec<Port>>, CallError> {
    let key = calls.region.to_owned();
    calls.cloud.ports.since(key, since, || calls.now(), || neutron::list(calls)).await
}

/// UID of the machine for which a port was made.
pub(crate) fn uid(port: &Port) -> Option<&str> {
    port.tags.iter().find_map(|tag| tag.strip_prefix(UID_PREFIX))
}

pub(crate) fn in_scope(port: &Port, scope: &Scope) -> bool {
    port.has_tag(&scope.cluster) && port.has_tag(&scope.role)
}

/// The machine's ports that no server has. One that is bound to a server that is not there any more is free: Nova forgot it.
pub(crate) fn free<'p>(
    ports: &'p [Port],
    servers: &[Server],
    machine: &MachineView,
    scope: &Scope,
) -> Vec<&'p Port> {
    let is_its =
        |port: &&Port| port.name == machine.name && in_scope(port, scope) && fits(uid(port), machine);
    ports.iter().filter(is_its).filter(|port| is_free(port, servers)).collect()
}

pub(crate) fn is_free(port: &Port, servers: &[Server]) -> bool {
    port.device_id.is_empty() || servers.iter().all(|server| server.id != port.device_id)
}

/// The machine's port; made where there is none.
pub(crate) async fn ensure(
    calls: &Calls<'_>,
    spec: &Spec,
    (network, subnets): (&Named, &[Named]),
    machine: &MachineView,
    scope: &Scope,
    servers: &[Server],
    since: Instant,
) -> Result<OwnPort, CallError> {
    let ports = all(calls, since).await?;
    if let Some(port) = free(&ports, servers, machine, scope).first() {
        return Ok(OwnPort { id: port.id.clone(), origin: Origin::Found });
    }
    let uid = machine.uid.as_deref().unwrap_or_default();
    let tags = [scope.cluster.clone(), scope.role.clone(), format!("{UID_PREFIX}{uid}")];
    let mut port = json!({
        "name": machine.name,
        "network_id": lookup::id(calls, Kind::Network, network).await?,
        "tags": tags,
    });
    let mut addresses = Vec::new();
    for subnet in subnets {
        addresses.push(json!({ "subnet_id": lookup::id(calls, Kind::Subnet, subnet).await? }));
    }
    port["fixed_ips"] = Value::Array(addresses);
    if !spec.security_groups.is_empty() {
        let mut groups = Vec::new();
        for group in &spec.security_groups {
            groups.push(lookup::id(calls, Kind::SecurityGroup, &Named::Either(group.clone())).await?);
        }
        port["security_groups"] = json!(groups);
    }
    let call = Call {
        operation: "ports.create",
        urgency: Urgency::Create,
        service: Service::Network,
        path: "/ports",
    };
    let Made { port } = calls.post(call, &json!({ "port": port })).await.map_err(without_tags)?;
    Ok(OwnPort { id: port.id, origin: Origin::Made })
}

/// An untagged port would be nobody's if the next call never came, so a Neutron that can't tag in the creating call is refused.
fn without_tags(error: CallError) -> CallError {
    match error {
        CallError::Refused(refused) if refused.http == 400 && refused.message.contains("'tags'") => {
            let message = format!(
                "{CLOUD}: {refused}: this Neutron is older than Ussuri and can't tag a port while making it; leave out \
                 spec.subnetIDs, or upgrade it"
            );
            CallError::Failed(ProviderError::new(MachineCode::FailedPrecondition, message))
        }
        other => other,
    }
}
