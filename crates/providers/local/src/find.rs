//! Finding a machine's VM: by its id, else by name, scope and UID.

use k8s_openapi::api::core::v1::NodeAddress;
use millwright_provider::{Initialization, Instance, MachineView, Power, ProviderError, Scope};

use crate::belonging::{fits, in_scope, must_be_ours};
use crate::errors::CallError;
use crate::session::Session;
use crate::wire::{self, CloudCode, Vm};

/// The VM that the machine's provider id names; none when it is gone.
pub(crate) async fn by_id(
    session: &Session<'_>,
    id: &str,
    machine: &MachineView,
    scope: &Scope,
) -> Result<Option<Vm>, ProviderError> {
    match session.get::<Vm>(&format!("/v1/vms/{id}")).await {
        Ok(vm) => must_be_ours(&vm, machine, scope).map(|()| Some(vm)),
        Err(error) if error.cloud_code() == Some(CloudCode::NotFound) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// All VMs that can be the machine's.
pub(crate) async fn by_name(
    session: &Session<'_>,
    machine: &MachineView,
    scope: &Scope,
) -> Result<Vec<Vm>, CallError> {
    let query = [
        ("name", machine.name.as_str()),
        ("tagKey", scope.cluster.as_str()),
        ("tagKey", scope.role.as_str()),
    ];
    let mut vms: Vec<Vm> = session.list("/v1/vms", &query).await?;
    vms.retain(|vm| vm.name == machine.name && in_scope(&vm.tags, scope) && fits(&vm.tags, machine));
    Ok(vms)
}

/// The VM in the contract's terms.
pub(crate) fn instance(vm: &Vm) -> Instance {
    let address =
        |kind: &str, address: &str| NodeAddress { type_: kind.to_owned(), address: address.to_owned() };
    Instance {
        provider_id: vm.provider_id(),
        node_name: vm.name.clone(),
        addresses: vec![address("InternalIP", &vm.address), address("Hostname", &vm.name)],
        power: match vm.power {
            wire::Power::Running => Power::Running,
            wire::Power::Stopped => Power::Stopped,
            wire::Power::Unknown => Power::Unknown,
        },
        initialization: Initialization::Done,
    }
}
