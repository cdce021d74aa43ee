//! Looking a VM up: in the list that all machines of the resource group share.
//!
//! A list that does not show it is not believed: Azure is asked for that VM by name before it counts as gone.

use k8s_openapi::api::core::v1::NodeAddress;
use millwright_api::MachineCode;
use millwright_provider::{Initialization, Instance, Power, ProviderError};

use crate::belonging::Owner;
use crate::errors::CLOUD;
use crate::home::Home;
use crate::inventory::{self, Look};
use crate::provider_id;
use crate::session::{Age, Session};
use crate::wire::{Progress, Vm};

pub(crate) async fn status(
    session: &Session<'_>,
    home: &Home,
    owner: &Owner<'_>,
) -> Result<Instance, ProviderError> {
    let found = match &owner.machine.provider_id {
        Some(id) => by_id(session, vm_name(session, id)?, owner).await?,
        None => by_name(session, home, owner).await?,
    };
    let there = found.filter(|vm| vm.properties.provisioning_state != Progress::Deleting);
    there.as_ref().map(|vm| instance(session, home, vm)).ok_or_else(|| {
        let message = format!("{CLOUD}: machine {} has no VM", owner.machine.name);
        ProviderError::new(MachineCode::NotFound, message)
    })
}

/// The VM's name in a provider id, which must not lead to another resource group.
pub(crate) fn vm_name<'a>(session: &Session<'_>, id: &'a str) -> Result<&'a str, ProviderError> {
    let read = provider_id::read(id)?;
    let is_here = read.place.is_none_or(|(subscription, group)| {
        subscription.eq_ignore_ascii_case(&session.account.subscription)
            && group.eq_ignore_ascii_case(session.group)
    });
    if is_here {
        return Ok(read.vm);
    }
    let message = format!(
        "{CLOUD}: provider id {id:?} names a VM outside of resource group {} and the Secret's subscription",
        session.group
    );
    Err(ProviderError::new(MachineCode::InvalidArgument, message))
}

async fn by_id(session: &Session<'_>, name: &str, owner: &Owner<'_>) -> Result<Option<Vm>, ProviderError> {
    let listed = inventory::vms(session, Age::New).await?;
    let vm = match inventory::named(&listed, name) {
        Some(vm) => Some(vm.clone()),
        None => inventory::vm(session, name, Look::Plain).await?,
    };
    if let Some(vm) = &vm {
        owner.must_own(&vm.name, &vm.tags)?;
    }
    Ok(vm)
}

async fn by_name(session: &Session<'_>, home: &Home, owner: &Owner<'_>) -> Result<Option<Vm>, ProviderError> {
    let name = &owner.machine.name;
    let listed = inventory::vms(session, Age::New).await?;
    let mut own: Vec<Vm> = listed.iter().filter(|vm| is_machines(vm, owner)).cloned().collect();
    if inventory::named(&listed, name).is_none() {
        own.extend(inventory::vm(session, name, Look::Plain).await?.filter(|vm| is_machines(vm, owner)));
    }
    if own.len() > 1 {
        let ids: Vec<String> =
            own.iter().map(|vm| home.provider_id(&session.account.subscription, &vm.name)).collect();
        let message = format!("{CLOUD}: several VMs answer to one machine: {}", ids.join(", "));
        return Err(ProviderError::new(MachineCode::OutOfRange, message));
    }
    Ok(own.pop())
}

/// Whether it can be the machine's by its tags and its name, or by its UID.
pub(crate) fn is_machines(vm: &Vm, owner: &Owner<'_>) -> bool {
    let by_name = vm.name.eq_ignore_ascii_case(&owner.machine.name) && owner.fits(&vm.tags);
    owner.owns(&vm.tags) && (by_name || owner.bears_uid(&vm.tags))
}

/// The VM in the contract's terms.
pub(crate) fn instance(session: &Session<'_>, home: &Home, vm: &Vm) -> Instance {
    let name = vm.name.to_lowercase();
    Instance {
        provider_id: home.provider_id(&session.account.subscription, &name),
        addresses: vec![NodeAddress { type_: "Hostname".to_owned(), address: name.clone() }],
        node_name: name,
        power: match vm.properties.provisioning_state {
            Progress::Going => Power::Creating,
            // Lists do not say whether a VM that was made is switched on.
            Progress::Succeeded | Progress::Failed | Progress::Deleting | Progress::Unknown => Power::Unknown,
        },
        initialization: Initialization::Done,
    }
}
