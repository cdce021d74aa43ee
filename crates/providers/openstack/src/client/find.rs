//! Whose a server is, and how it looks in the contract's terms.

use std::sync::Arc;
use std::time::Instant;

use k8s_openapi::api::core::v1::NodeAddress;
use millwright_api::MachineCode;
use millwright_provider::{Initialization, Instance, MachineView, Power, ProviderError, Scope};

use super::calls::Calls;
use super::nova::{self, Server, Status};
use super::refusal::CallError;
use crate::home::{FindBy, Home};
use crate::provider_id::server_in;
use crate::spec::UID_TAG;

/// A list of all servers that began at `since` or later; all who ask at the same time share it.
pub(crate) async fn servers(calls: &Calls<'_>, since: Instant) -> Result<Arc<Vec<Server>>, CallError> {
    let key = calls.region.to_owned();
    calls.cloud.servers.since(key, since, || calls.now(), || nova::list(calls)).await
}

/// Whether it carries our cluster's and role's tag.
pub(crate) fn in_scope(server: &Server, scope: &Scope) -> bool {
    server.tag(&scope.cluster).is_some() && server.tag(&scope.role).is_some()
}

/// The UID for which it was made. An empty one is none.
pub(crate) fn uid(server: &Server) -> Option<&str> {
    server.tag(UID_TAG).filter(|uid| !uid.is_empty())
}

fn is_made_for(server: &Server, machine: &MachineView) -> bool {
    machine.uid.is_some() && uid(server) == machine.uid.as_deref()
}

/// Whether something tagged with that UID can be the machine's: made for it, or one of the two UIDs is not known.
pub(crate) fn fits(uid: Option<&str>, machine: &MachineView) -> bool {
    match (uid, &machine.uid) {
        (Some(tagged), Some(uid)) => tagged == uid,
        (None, _) | (_, None) => true,
    }
}

/// The server that the machine's provider id names. One that is not the machine's is refused, and stays.
pub(crate) fn by_id<'s>(
    servers: &'s [Server],
    id: &str,
    machine: &MachineView,
    scope: &Scope,
    home: &Home,
) -> Result<Option<&'s Server>, ProviderError> {
    let id = server_in(id, &home.region)?;
    let server = servers.iter().find(|server| server.id.eq_ignore_ascii_case(id));
    server.map(|server| must_be_ours(server, machine, scope, home).map(|()| server)).transpose()
}

/// The server that a creation remembers. The status that holds it has more authors than this program, and a server that failed is
/// deleted: one that is not the machine's is not remembered.
pub(crate) fn asked_for<'s>(
    servers: &'s [Server],
    id: &str,
    machine: &MachineView,
    scope: &Scope,
    home: &Home,
) -> Option<&'s Server> {
    let server = servers.iter().find(|server| server.id == id)?;
    must_be_ours(server, machine, scope, home).is_ok().then_some(server)
}

/// Refuses a server that is not the machine's. One that bears its UID may have been renamed.
pub(crate) fn must_be_ours(
    server: &Server,
    machine: &MachineView,
    scope: &Scope,
    home: &Home,
) -> Result<(), ProviderError> {
    let refuse = |reason: String| Err(ProviderError::new(MachineCode::FailedPrecondition, reason));
    let is_made_for_it = is_made_for(server, machine);
    if home.find_by == FindBy::Uid && is_made_for_it {
        return Ok(());
    }
    if !in_scope(server, scope) {
        let Scope { cluster, role, location: _ } = scope;
        return refuse(format!(
            "server {} lacks metadata {cluster} or {role}: it belongs to somebody else and stays",
            server.id
        ));
    }
    if !is_made_for_it && server.name() != machine.name {
        return refuse(format!(
            "server {} is called {:?}, the machine {:?}: it stays",
            server.id,
            server.name(),
            machine.name
        ));
    }
    Ok(())
}

/// All servers that can be the machine's, without its id: by name and scope, or by the UID they are tagged with.
pub(crate) fn of_machine<'s>(
    servers: &'s [Server],
    machine: &MachineView,
    scope: &Scope,
    home: &Home,
) -> Vec<&'s Server> {
    let is_its = |server: &&Server| {
        let is_made_for_it = is_made_for(server, machine);
        let is_called_so = server.name() == machine.name && fits(uid(server), machine);
        match home.find_by {
            FindBy::NameAndScope => in_scope(server, scope) && (is_called_so || is_made_for_it),
            FindBy::Uid => is_made_for_it || in_scope(server, scope) && is_called_so,
        }
    };
    servers.iter().filter(is_its).collect()
}

/// The one server; several are an error that names them all.
pub(crate) fn only_one<'s>(home: &Home, servers: &[&'s Server]) -> Result<Option<&'s Server>, ProviderError> {
    if let [_, _, ..] = servers {
        let ids: Vec<String> = servers.iter().map(|server| provider_id(home, server)).collect();
        let message = format!("several servers answer to one machine: {}", ids.join(", "));
        return Err(ProviderError::new(MachineCode::OutOfRange, message));
    }
    Ok(servers.first().copied())
}

pub(crate) fn provider_id(home: &Home, server: &Server) -> String {
    home.id_form.write(&home.region, &server.id)
}

/// The server in the contract's terms.
pub(crate) fn instance(home: &Home, server: &Server, initialization: Initialization) -> Instance {
    let address =
        |kind: &str, address: &str| NodeAddress { type_: kind.to_owned(), address: address.to_owned() };
    let mut addresses: Vec<NodeAddress> = server
        .addresses
        .values()
        .flatten()
        .map(|known| {
            let kind = if known.kind.as_deref() == Some("floating") { "ExternalIP" } else { "InternalIP" };
            address(kind, &known.addr)
        })
        .collect();
    addresses.push(address("Hostname", server.name()));
    Instance {
        provider_id: provider_id(home, server),
        node_name: server.name().to_owned(),
        addresses,
        power: match server.status {
            Status::Build => Power::Creating,
            Status::Active => Power::Running,
            Status::Shutoff => Power::Stopped,
            Status::Error | Status::Gone | Status::Other => Power::Unknown,
        },
        initialization,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn server(id: &str, name: &str, tags: serde_json::Value) -> Server {
        serde_json::from_value(json!({ "id": id, "name": name, "status": "ERROR", "metadata": tags }))
            .unwrap()
    }

    fn tagged(uid: &str) -> serde_json::Value {
        json!({ "kubernetes.io-cluster-c1": "1", "kubernetes.io-role-node": "1", "machine-uid": uid })
    }

    fn place() -> (Home, Scope, MachineView) {
        let tags = json!({ "kubernetes.io-cluster-c1": "1", "kubernetes.io-role-node": "1" });
        let spec = crate::gardener::decode(&json!({
            "apiVersion": crate::schema::API_VERSION, "kind": crate::schema::KIND,
            "spec": { "imageID": "i", "region": "R", "flavorName": "f", "networkID": "n", "tags": tags }
        }))
        .unwrap();
        let [cluster, role] = ["kubernetes.io-cluster-c1", "kubernetes.io-role-node"].map(str::to_owned);
        let scope = Scope { cluster, role, location: "R".into() };
        let machine = MachineView { name: "m".into(), uid: Some("u".into()), ..MachineView::default() };
        (spec.home, scope, machine)
    }

    #[test]
    fn a_failed_server_of_a_stranger_is_not_taken_up_because_a_status_names_it() {
        let (home, scope, machine) = place();
        let tags = json!({ "kubernetes.io-cluster-c1": "1", "kubernetes.io-role-node": "1" });
        let servers =
            [server("a", "m", json!({})), server("b", "other", tags.clone()), server("c", "m", tags)];
        let found = |id| asked_for(&servers, id, &machine, &scope, &home).map(|server| server.id.as_str());
        assert_eq!(["a", "b", "c", "d"].map(found), [None, None, Some("c"), None]);
    }

    #[test]
    fn a_server_that_was_renamed_does_not_keep_its_machine_from_going() {
        let (home, scope, machine) = place();
        let servers = [
            server("a", "renamed", tagged("u")),
            server("b", "renamed", tagged("another")),
            server("c", "renamed", tagged("")),
            server("d", "renamed", json!({ "machine-uid": "u" })),
        ];
        let judge = |id: &str| {
            let id = home.id_form.write(&home.region, id);
            by_id(&servers, &id, &machine, &scope, &home).map(|server| server.is_some())
        };
        assert!(judge("a").unwrap());
        for stranger in ["b", "c", "d"] {
            assert_eq!(judge(stranger).unwrap_err().code, MachineCode::FailedPrecondition, "{stranger}");
        }
    }

    #[test]
    fn an_empty_uid_makes_no_server_somebody_elses() {
        let (home, scope, machine) = place();
        let servers = [server("a", "m", tagged("")), server("b", "m", tagged("another"))];
        let found = of_machine(&servers, &machine, &scope, &home);
        assert_eq!(found.iter().map(|server| server.id.as_str()).collect::<Vec<_>>(), ["a"]);
        assert_eq!(uid(&servers[0]), None);
    }
}
