//! Ending a server and what belongs to it.
//!
//! Nova takes along the ports and volumes that it made. A port of our own outlives its server, and parts of a creation that failed
//! never had one: they are looked for once no server is left. Volumes of pods are detached by Nova and never deleted here, so those
//! to keep need no call. Whether it worked is said by the list that is read after it, one for all machines that die together.

use millwright_api::MachineCode;
use millwright_provider::{DeleteOutcome, MachineView, ProviderError, Scope};

use super::calls::Calls;
use super::nova::{self, Server};
use super::{cinder, find, neutron, port, root_volume};
use crate::home::Home;
use crate::provider_id::server_in;

pub(crate) async fn delete(
    calls: &Calls<'_>,
    home: &Home,
    machine: &MachineView,
    scope: &Scope,
) -> Result<DeleteOutcome, ProviderError> {
    if machine.name.is_empty() {
        let message = "a machine without a name has no server that could be told from others";
        return Err(ProviderError::new(MachineCode::InvalidArgument, message));
    }
    if let Some(id) = &machine.provider_id {
        server_in(id, &home.region)?;
    }
    let began = calls.now();
    let servers = find::servers(calls, began).await?;
    // With an id only that one: another server of the same name, or even of the same machine, is not what is to be deleted.
    let mine: Vec<&Server> = match &machine.provider_id {
        Some(id) => find::by_id(&servers, id, machine, scope, home)?.into_iter().collect(),
        None => find::of_machine(&servers, machine, scope, home),
    };
    if !mine.is_empty() {
        for server in mine.into_iter().filter(|server| !server.is_going()) {
            nova::delete(calls, &server.id).await?;
        }
        return Ok(DeleteOutcome::Unproven);
    }
    let ports = port::all(calls, began).await?;
    let ports = port::free(&ports, &servers, machine, scope);
    for port in &ports {
        neutron::delete(calls, &port.id).await?;
    }
    let volumes = root_volume::all(calls, began).await?;
    let volumes = root_volume::free(&volumes, machine, scope);
    // One that is still being made stays in the list, and the deletion comes again.
    for volume in volumes.iter().filter(|volume| volume.is_deletable()) {
        cinder::delete(calls, &volume.id).await?;
    }
    // A list that shows nothing is one look, however empty it is.
    Ok(DeleteOutcome::Unproven)
}
