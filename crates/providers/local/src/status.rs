//! Looking a VM up; one call, which changes nothing.

use millwright_api::MachineCode;
use millwright_provider::{Instance, MachineView, ProviderError, Scope};

use crate::session::Session;
use crate::wire::Vm;
use crate::{find, provider_id};

pub(crate) async fn status(
    session: &Session<'_>,
    machine: &MachineView,
    scope: &Scope,
) -> Result<Instance, ProviderError> {
    let found = match &machine.provider_id {
        Some(id) => find::by_id(session, provider_id::vm_id(id)?, machine, scope).await?,
        None => only_one(find::by_name(session, machine, scope).await?)?,
    };
    found.as_ref().map(find::instance).ok_or_else(|| {
        ProviderError::new(MachineCode::NotFound, format!("machine {} has no VM", machine.name))
    })
}

/// The one VM; several are an error that names them all.
pub(crate) fn only_one(mut vms: Vec<Vm>) -> Result<Option<Vm>, ProviderError> {
    if vms.len() > 1 {
        let ids: Vec<String> = vms.iter().map(Vm::provider_id).collect();
        let message = format!("several VMs answer to one machine: {}", ids.join(", "));
        return Err(ProviderError::new(MachineCode::OutOfRange, message));
    }
    Ok(vms.pop())
}
