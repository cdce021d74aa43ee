//! Looking a server up; it changes nothing. Those that are looked up in the same moment share one list of servers, and one of ports.

use millwright_api::MachineCode;
use millwright_provider::{Initialization, Instance, MachineView, ProviderError, Scope};

use super::calls::Calls;
use super::nova::{self, Server};
use super::{find, pairs, port};
use crate::home::Home;
use crate::provider_id::server_in;
use crate::spec::Spec;

pub(crate) async fn status(
    calls: &Calls<'_>,
    spec: &Spec,
    machine: &MachineView,
    scope: &Scope,
) -> Result<Instance, ProviderError> {
    let server = server(calls, &spec.home, machine, scope).await?;
    let initialization = initialization(calls, spec, &server).await?;
    Ok(find::instance(&spec.home, &server, initialization))
}

/// The machine's server, or `NotFound`.
pub(crate) async fn server(
    calls: &Calls<'_>,
    home: &Home,
    machine: &MachineView,
    scope: &Scope,
) -> Result<Server, ProviderError> {
    if let Some(id) = &machine.provider_id {
        // Before anything is asked: an id of another cloud is a mistake, not an absence.
        server_in(id, &home.region)?;
    }
    let servers = find::servers(calls, calls.now()).await?;
    let found = match &machine.provider_id {
        Some(id) => match find::by_id(&servers, id, machine, scope, home)? {
            Some(server) => Some(server.clone()),
            // That a machine has lost its VM is not believed of a list alone.
            None => nova::show(calls, server_in(id, &home.region)?).await?,
        },
        None => {
            let mut found = find::of_machine(&servers, machine, scope, home);
            found.retain(|server| !server.is_going());
            find::only_one(home, &found)?.cloned()
        }
    };
    match found {
        Some(server) if !server.is_going() => {
            find::must_be_ours(&server, machine, scope, home).map(|()| server)
        }
        Some(_) | None => {
            let message = format!("machine {} has no server", machine.name);
            Err(ProviderError::new(MachineCode::NotFound, message))
        }
    }
}

/// Whether the server's ports let pods' addresses through.
async fn initialization(
    calls: &Calls<'_>,
    spec: &Spec,
    server: &Server,
) -> Result<Initialization, ProviderError> {
    if !pairs::are_wanted(spec) {
        return Ok(Initialization::Done);
    }
    let all = port::all(calls, calls.now()).await?;
    let ports = pairs::ports_of(calls, spec, &server.id, &all).await?;
    if ports.is_empty() {
        return Ok(Initialization::Missing { reason: "it has no port in a network of pods yet".to_owned() });
    }
    let closed = ports.iter().find_map(|port| {
        let missing = pairs::missing(spec, port);
        (!missing.is_empty())
            .then(|| format!("port {} does not let {} through yet", port.id, missing.join(", ")))
    });
    Ok(closed.map_or(Initialization::Done, |reason| Initialization::Missing { reason }))
}
