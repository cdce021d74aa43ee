//! Parts of a machine that have no VM: found by their names, which come from the machine's, and by exact tags.

use http::Method;
use millwright_cloud_http::Urgency;
use millwright_provider::ProviderError;

use crate::arm::Kind;
use crate::belonging::Owner;
use crate::errors;
use crate::home::Home;
use crate::inventory;
use crate::list::{is_disk_of, is_nic_of};
use crate::names;
use crate::session::{Age, Class, Failure, Sent, Session};
use crate::wire::Progress;

/// Whether there was anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Nothing,
    /// It was told to go, or is going.
    Some,
}

/// Tells all of them to go.
pub(crate) async fn remove(
    session: &Session<'_>,
    home: &Home,
    owner: &Owner<'_>,
) -> Result<Found, ProviderError> {
    let machine = owner.machine.name.as_str();
    let nics = inventory::nics(session, Age::New).await?;
    let disks = inventory::disks(session, Age::New).await?;
    // Whoever comes here has just seen that the machine's own VM is not there.
    let vms = inventory::vms(session, Age::Recent).await?;
    let is_of = |vm: Option<&str>| vm.is_some_and(|vm| vm.eq_ignore_ascii_case(machine));

    let mut parts = Vec::new();
    for nic in nics.iter().filter(|nic| is_of(names::vm_of_nic(&nic.name, home.nic_suffix))) {
        if owner.owns(&nic.tags) && owner.fits(&nic.tags) && !is_nic_of(session, nic, &vms) {
            parts.push((Kind::Nic, nic.name.as_str(), nic.properties.provisioning_state));
        }
    }
    for disk in disks.iter().filter(|disk| is_of(names::vm_of_disk(&disk.name, &home.disk_suffixes))) {
        if owner.owns(&disk.tags) && owner.fits(&disk.tags) && !is_disk_of(session, disk, &vms) {
            parts.push((Kind::Disk, disk.name.as_str(), disk.properties.provisioning_state));
        }
    }
    let found = if parts.is_empty() { Found::Nothing } else { Found::Some };
    // Each is told before the first error is: what goes is worth more than the order.
    let mut refused = Ok(found);
    for (kind, name, progress) in parts {
        if progress != Progress::Deleting
            && let Err(error) = delete(session, kind, name).await
            && refused.is_ok()
        {
            refused = Err(error);
        }
    }
    refused
}

async fn delete(session: &Session<'_>, kind: Kind, name: &str) -> Result<(), ProviderError> {
    let (operation, class) = match kind {
        Kind::Nic => ("networkInterfaces.delete", Class::Network),
        Kind::Disk => ("disks.delete", Class::ComputeWrite),
        Kind::Vm => ("virtualMachines.delete", Class::ComputeWrite),
    };
    let path = format!("{}?api-version={}", session.place().one(kind, name), kind.api_version());
    match session.send(Sent::new(operation, class, Urgency::Delete, Method::DELETE, path)).await {
        Ok(_) => Ok(()),
        Err(Failure::Refused(error)) if errors::says_absent(&error) => Ok(()),
        Err(failure) => Err(failure.into()),
    }
}
