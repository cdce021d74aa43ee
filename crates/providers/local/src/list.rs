//! Everything in a scope: VMs, and parts that outlived theirs.

use millwright_provider::{LeftoverKind, Listed, ListedKind, ProviderError, Scope};

use crate::belonging::in_scope;
use crate::session::Session;
use crate::validate::UID_TAG;
use crate::wire::{DiskKind, Part, Vm};

/// What a NIC's name adds to its VM's.
pub(crate) const NIC_SUFFIX: &str = "-nic";
/// What a root disk's name adds to its VM's.
pub(crate) const DISK_SUFFIX: &str = "-root";

pub(crate) async fn list(session: &Session<'_>, scope: &Scope) -> Result<Vec<Listed>, ProviderError> {
    let query = [("tagKey", scope.cluster.as_str()), ("tagKey", scope.role.as_str())];
    // Parts first: one whose VM is made or deleted meanwhile must not look as if it had none.
    let nics: Vec<Part> = session.list("/v1/nics", &query).await?;
    let disks: Vec<Part> = session.list("/v1/disks", &query).await?;
    let vms: Vec<Vm> = session.list("/v1/vms", &query).await?;

    let vms = vms.into_iter().filter(|vm| in_scope(&vm.tags, scope)).map(|vm| Listed {
        id: vm.provider_id(),
        machine_uid: vm.tags.get(UID_TAG).cloned(),
        machine_name: vm.name,
        created_at: Some(vm.created),
        kind: ListedKind::Vm,
    });
    let nics = nics.into_iter().filter_map(|nic| leftover(nic, scope, NIC_SUFFIX, LeftoverKind::Nic));
    let disks = disks.into_iter().filter_map(|disk| leftover(disk, scope, DISK_SUFFIX, LeftoverKind::Disk));
    Ok(vms.chain(nics).chain(disks).collect())
}

/// A part of nobody whose name says which machine it was made for; volumes are not ours to collect.
fn leftover(part: Part, scope: &Scope, suffix: &str, kind: LeftoverKind) -> Option<Listed> {
    if part.vm.is_some() || part.kind == Some(DiskKind::Volume) || !in_scope(&part.tags, scope) {
        return None;
    }
    Some(Listed {
        machine_name: part.name.strip_suffix(suffix)?.to_owned(),
        machine_uid: part.tags.get(UID_TAG).cloned(),
        id: part.id,
        created_at: Some(part.created),
        kind: ListedKind::Leftover(kind),
    })
}
