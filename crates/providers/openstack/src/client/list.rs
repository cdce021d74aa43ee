//! Everything in a scope: servers, and parts that outlived theirs.

use jiff::tz::TimeZone;
use millwright_provider::{LeftoverKind, Listed, ListedKind, ProviderError, Scope};

use super::calls::Calls;
use super::{find, port, root_volume};
use crate::provider_id::IdForm;

pub(crate) async fn list(
    calls: &Calls<'_>,
    form: IdForm,
    scope: &Scope,
) -> Result<Vec<Listed>, ProviderError> {
    let began = calls.now();
    // Parts first: one whose server is made or deleted meanwhile must not look as if it had none.
    let ports = port::all(calls, began).await?;
    let volumes = root_volume::all(calls, began).await?;
    let servers = find::servers(calls, calls.now()).await?;

    let vms = servers.iter().filter(|server| find::in_scope(server, scope)).map(|server| Listed {
        id: form.write(calls.region, &server.id),
        machine_name: server.name().to_owned(),
        machine_uid: find::uid(server).map(str::to_owned),
        created_at: server.created,
        kind: ListedKind::Vm,
    });
    let ports = ports.iter().filter(|port| port::in_scope(port, scope) && port::is_free(port, &servers));
    let ports = ports.map(|port| Listed {
        id: port.id.clone(),
        machine_name: port.name.clone(),
        machine_uid: port::uid(port).map(str::to_owned),
        created_at: port.created_at,
        kind: ListedKind::Leftover(LeftoverKind::Nic),
    });
    // One that is being deleted is still there.
    let volumes =
        volumes.iter().filter(|volume| root_volume::in_scope(volume, scope) && volume.attachments.is_empty());
    let volumes = volumes.map(|volume| Listed {
        id: volume.id.clone(),
        machine_name: volume.name.clone().unwrap_or_default(),
        machine_uid: root_volume::uid(volume).map(str::to_owned),
        created_at: volume.created_at.and_then(|at| at.to_zoned(TimeZone::UTC).ok()).map(|at| at.timestamp()),
        kind: ListedKind::Leftover(LeftoverKind::Disk),
    });
    Ok(vms.chain(ports).chain(volumes).collect())
}
