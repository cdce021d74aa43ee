//! Everything in a scope: VMs, and parts that outlived theirs.
//!
//! From lists of the resource group, not from Resource Graph: its index is minutes late, so that fresh VMs are missing and dead
//! ones still there, and its match of tags takes `foo` for `foo-bar`.

use millwright_provider::{LeftoverKind, Listed, ListedKind, ProviderError, Scope};

use crate::arm::Kind;
use crate::belonging::{in_scope, uid};
use crate::home::Home;
use crate::inventory;
use crate::names;
use crate::session::{Age, Session};
use crate::wire::{Disk, Nic, Vm};

pub(crate) async fn list(
    session: &Session<'_>,
    home: &Home,
    scope: &Scope,
) -> Result<Vec<Listed>, ProviderError> {
    // Parts first: one whose VM is made or deleted meanwhile must not look as if it had none.
    let nics = inventory::nics(session, Age::New).await?;
    let disks = inventory::disks(session, Age::New).await?;
    let vms = inventory::vms(session, Age::New).await?;

    let own = vms.iter().filter(|vm| in_scope(&vm.tags, scope)).map(|vm| Listed {
        // Machines' names have no capitals, and are compared with them; Azure's lists may.
        id: home.provider_id(&session.account.subscription, &vm.name.to_lowercase()),
        machine_name: vm.name.to_lowercase(),
        machine_uid: uid(&vm.tags).map(str::to_owned),
        created_at: vm.properties.time_created,
        kind: ListedKind::Vm,
    });
    let nics = nics
        .iter()
        .filter(|nic| in_scope(&nic.tags, scope) && !is_nic_of(session, nic, &vms))
        .filter_map(|nic| {
            Some(Listed {
                id: nic.name.clone(),
                machine_name: names::vm_of_nic(&nic.name, home.nic_suffix)?.to_lowercase(),
                machine_uid: uid(&nic.tags).map(str::to_owned),
                created_at: None,
                kind: ListedKind::Leftover(LeftoverKind::Nic),
            })
        });
    let disks = disks
        .iter()
        .filter(|disk| in_scope(&disk.tags, scope) && !is_disk_of(session, disk, &vms))
        .filter_map(|disk| {
            Some(Listed {
                id: disk.name.clone(),
                machine_name: names::vm_of_disk(&disk.name, &home.disk_suffixes)?.to_lowercase(),
                machine_uid: uid(&disk.tags).map(str::to_owned),
                created_at: disk.properties.time_created,
                kind: ListedKind::Leftover(LeftoverKind::Disk),
            })
        });
    Ok(own.chain(nics).chain(disks).collect())
}

/// Whether a VM that is there has the network interface.
pub(crate) fn is_nic_of(session: &Session<'_>, nic: &Nic, vms: &[Vm]) -> bool {
    nic.properties.virtual_machine.as_ref().is_some_and(|vm| is_alive(session, &vm.id, vms))
}

/// Whether a VM that is there has the disk.
pub(crate) fn is_disk_of(session: &Session<'_>, disk: &Disk, vms: &[Vm]) -> bool {
    disk.managed_by.as_deref().is_some_and(|vm| is_alive(session, vm, vms))
}

/// A reference to a VM of this resource group that is not in its list is one to a VM that is gone; one to elsewhere is believed.
fn is_alive(session: &Session<'_>, id: &str, vms: &[Vm]) -> bool {
    let Some((folder, name)) = id.rsplit_once('/') else { return false };
    let is_here = folder.eq_ignore_ascii_case(&session.place().all(Kind::Vm));
    !is_here || vms.iter().any(|vm| vm.name.eq_ignore_ascii_case(name))
}
