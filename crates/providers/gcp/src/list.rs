//! Everything in a scope: VMs, and disks that outlived theirs.

use k8s_openapi::jiff::Timestamp;
use millwright_provider::{LeftoverKind, Listed, ListedKind, ProviderError, Scope};

use crate::belonging::{in_scope, machine_of, uid};
use crate::home::Home;
use crate::session::Session;
use crate::status::id;
use crate::zone_lists::{all_disks, all_instances};

pub(crate) async fn list(
    session: &Session<'_>,
    home: &Home,
    scope: &Scope,
) -> Result<Vec<Listed>, ProviderError> {
    // Disks first: one whose VM is made or deleted meanwhile must not look as if it had none.
    let disks = all_disks(session, &home.zone).await?;
    let instances = all_instances(session, &home.zone).await?;
    let vms = instances.iter().filter(|vm| in_scope(vm, scope)).map(|vm| Listed {
        id: id(vm, session, &home.zone, home.id_form),
        machine_name: vm.name.clone(),
        machine_uid: uid(&vm.labels).map(str::to_owned),
        created_at: moment(vm.creation_timestamp.as_deref()),
        kind: ListedKind::Vm,
    });
    let left = disks.iter().filter_map(|disk| {
        let machine_name = machine_of(disk, scope)?;
        // A VM that is being made has its disks a moment before they are attached.
        let waits = instances.iter().any(|vm| vm.name == *machine_name);
        (!waits).then(|| Listed {
            id: format!("projects/{}/zones/{}/disks/{}", session.project, home.zone, disk.name),
            machine_name: machine_name.clone(),
            machine_uid: uid(&disk.labels).map(str::to_owned),
            created_at: moment(disk.creation_timestamp.as_deref()),
            kind: ListedKind::Leftover(LeftoverKind::Disk),
        })
    });
    Ok(vms.chain(left).collect())
}

fn moment(text: Option<&str>) -> Option<Timestamp> {
    text?.parse().ok()
}
