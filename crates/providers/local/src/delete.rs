//! Ending a VM and what belongs to it.
//!
//! The cloud takes NIC and root disk along and says what stayed. A creation that failed half-way before the one that succeeded
//! has left parts that never were this VM's: the list of the whole scope shows them, and the deletion that comes again finds
//! no VM and removes them by name. Volumes the cloud detaches itself and never deletes: those to keep need no call.
//!
//! One answer "not there" is not believed, nor is one "deleted": clouds say so of VMs that live on for a while. So nothing is
//! called gone here; that is said by the list that is read after it, one for all machines that die together.

use millwright_api::MachineCode;
use millwright_provider::{DeleteOutcome, MachineView, ProviderError, Scope};

use crate::belonging::{fits, in_scope};
use crate::errors::CallError;
use crate::list::{DISK_SUFFIX, NIC_SUFFIX};
use crate::ordered::POLL;
use crate::progress::Progress;
use crate::session::Session;
use crate::wire::{Accepted, CloudCode, DiskKind, LeftBehind, Order, OrderState, Part, Vm};
use crate::{find, ordered, provider_id};

pub(crate) async fn delete(
    session: &Session<'_>,
    machine: &MachineView,
    scope: &Scope,
) -> Result<DeleteOutcome, ProviderError> {
    if machine.name.is_empty() {
        let message = "a machine without a name has no VM that could be told from others";
        return Err(ProviderError::new(MachineCode::InvalidArgument, message));
    }
    let progress = Progress::of(machine);
    if let Progress::Deletion { order } = &progress
        && let Some(order) = ordered::look(session, order).await?
    {
        if let Some(failure) = ordered::failure(&order) {
            return Err(failure);
        }
        if order.state == OrderState::Running {
            return Ok(goes_on(&order));
        }
        leftovers(session, machine, scope).await?;
        return Ok(DeleteOutcome::Unproven);
    }
    let known = match (&machine.provider_id, &progress) {
        (Some(id), _) => find::by_id(session, provider_id::vm_id(id)?, machine, scope).await?,
        // Lists may not show it yet.
        (None, Progress::Creation { order }) => match ordered::look(session, order).await? {
            Some(order) => find::by_id(session, &order.vm, machine, scope).await?,
            None => None,
        },
        (None, _) => None,
    };
    // What stayed of a VM that is there the cloud says in its answer. Of one that is not, nobody said it.
    let stayed = if known.is_some() { Stayed::Told } else { Stayed::Unknown };
    let vms = match known {
        Some(vm) => vec![vm],
        None => listed(session, machine, scope).await?,
    };
    for vm in vms {
        match session.delete::<Accepted<LeftBehind>>(&format!("/v1/vms/{}", vm.id)).await {
            // Should there be more, the list that comes after it shows them.
            Ok(Accepted::Begun { order }) => return Ok(goes_on(&order)),
            Ok(Accepted::Done(LeftBehind { nics, disks })) => {
                for nic in nics {
                    remove(session, &format!("/v1/nics/{nic}")).await?;
                }
                for disk in disks {
                    remove(session, &format!("/v1/disks/{disk}")).await?;
                }
            }
            Err(error) if error.cloud_code() == Some(CloudCode::NotFound) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if stayed == Stayed::Unknown {
        leftovers(session, machine, scope).await?;
    }
    Ok(DeleteOutcome::Unproven)
}

fn goes_on(order: &Order) -> DeleteOutcome {
    let state = Progress::Deletion { order: order.id.clone() }.state();
    DeleteOutcome::InProgress { state, retry_after: POLL }
}

/// Whether it is known what outlived the VM.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stayed {
    Told,
    Unknown,
}

/// The machine's VMs as the list shows them. With a provider id only that one: another VM of the same name, or even of the same
/// machine, is not what is to be deleted.
async fn listed(
    session: &Session<'_>,
    machine: &MachineView,
    scope: &Scope,
) -> Result<Vec<Vm>, ProviderError> {
    let mut vms = find::by_name(session, machine, scope).await?;
    if let Some(id) = &machine.provider_id {
        let id = provider_id::vm_id(id)?;
        vms.retain(|vm| vm.id == id);
    }
    Ok(vms)
}

/// Removes parts of the machine that outlived their VM.
pub(crate) async fn leftovers(
    session: &Session<'_>,
    machine: &MachineView,
    scope: &Scope,
) -> Result<(), CallError> {
    for (path, suffix) in [("/v1/nics", NIC_SUFFIX), ("/v1/disks", DISK_SUFFIX)] {
        let name = format!("{}{suffix}", machine.name);
        let query =
            [("name", name.as_str()), ("tagKey", scope.cluster.as_str()), ("tagKey", scope.role.as_str())];
        for part in session.list::<Part>(path, &query).await? {
            let ours = part.name == name && in_scope(&part.tags, scope) && fits(&part.tags, machine);
            if ours && part.vm.is_none() && part.kind != Some(DiskKind::Volume) {
                remove(session, &format!("{path}/{}", part.id)).await?;
            }
        }
    }
    Ok(())
}

async fn remove(session: &Session<'_>, path: &str) -> Result<(), CallError> {
    match session.delete::<serde_json::Value>(path).await {
        Err(error) if error.cloud_code() != Some(CloudCode::NotFound) => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}
