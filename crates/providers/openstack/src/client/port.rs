//! The port of a server in a network whose addresses the class arranges: made before its server, under the machine's name.
//!
//! Whose it is must be said in the call that makes it, or a crash after that call would leave a port that is nobody's. Neutron
//! drops tags from that call without a word, so its description says it. Ports that Gardener's driver made are tagged.

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
use super::refusal::CallError;
use super::service::Service;
use crate::spec::{Named, Spec};

/// What stands before the UID in a port's mark.
const UID_PREFIX: &str = "machine-uid=";
/// The longest description that Neutron takes.
const LONGEST_DESCRIPTION: usize = 255;

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

/// UID of the machine for which a port was made. An empty one is none.
pub(crate) fn uid(port: &Port) -> Option<&str> {
    port.marks().find_map(|mark| mark.strip_prefix(UID_PREFIX)).filter(|uid| !uid.is_empty())
}

pub(crate) fn in_scope(port: &Port, scope: &Scope) -> bool {
    let has = |wanted: &str| port.marks().any(|mark| mark == wanted);
    has(&scope.cluster) && has(&scope.role)
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
    let mut port = json!({
        "name": machine.name,
        "network_id": lookup::id(calls, Kind::Network, network).await?,
        "description": description(machine, scope)?,
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
    let Made { port } = calls.post(call, &json!({ "port": port })).await?;
    Ok(OwnPort { id: port.id, origin: Origin::Made })
}

/// Cluster, role and UID in one line.
fn description(machine: &MachineView, scope: &Scope) -> Result<String, ProviderError> {
    let uid = machine.uid.as_deref().unwrap_or_default();
    let text = format!("{} {} {UID_PREFIX}{uid}", scope.cluster, scope.role);
    if text.len() > LONGEST_DESCRIPTION {
        let message = format!(
            "the keys {:?} and {:?} of spec.tags are too long to mark a port with: with the UID they have {} bytes, Neutron takes \
             {LONGEST_DESCRIPTION}; shorten them, or leave out spec.subnetIDs",
            scope.cluster,
            scope.role,
            text.len()
        );
        return Err(ProviderError::new(MachineCode::InvalidArgument, message));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(cluster: &str) -> Scope {
        let role = "kubernetes.io-role-node".to_owned();
        Scope { cluster: cluster.to_owned(), role, location: "R".to_owned() }
    }

    fn port(tags: &[&str], description: &str) -> Port {
        serde_json::from_value(
            json!({ "id": "p", "name": "m", "network_id": "n", "tags": tags, "description": description }),
        )
        .unwrap()
    }

    #[test]
    fn a_port_is_known_by_its_description_and_one_of_gardeners_by_its_tags() {
        let ours = scope("kubernetes.io-cluster-a");
        let machine = MachineView { uid: Some("u-1".into()), ..MachineView::default() };
        let made = port(&[], &description(&machine, &ours).unwrap());
        assert!(in_scope(&made, &ours));
        assert_eq!(uid(&made), Some("u-1"));
        assert!(!in_scope(&made, &scope("kubernetes.io-cluster-a-b")));
        assert!(!in_scope(&made, &scope("kubernetes.io-cluster-")));
        let gardeners = port(&["kubernetes.io-cluster-a", "kubernetes.io-role-node"], "");
        assert!(in_scope(&gardeners, &ours));
        assert_eq!(uid(&gardeners), None);
    }

    #[test]
    fn marks_that_do_not_fit_are_refused() {
        let error = description(&MachineView::default(), &scope(&"c".repeat(250))).unwrap_err();
        assert_eq!(error.code, MachineCode::InvalidArgument);
    }
}
