//! Ending a VM and what belongs to it.
//!
//! A VM that was made here takes its network interface and disks along. One that was made by another controller may not, and a
//! creation that failed half-way left parts that never were a VM's: so when the VM is gone, the lists of parts, which all
//! machines that die together share, show what is left. Nothing needs to be changed on the VM before. Volumes of pods Azure
//! detaches itself.

use http::Method;
use millwright_api::MachineCode;
use millwright_cloud_http::{Answer, Urgency};
use millwright_provider::{DeleteOutcome, ProviderError};

use crate::arm::{COMPUTE, Kind};
use crate::belonging::Owner;
use crate::errors::{self, CLOUD};
use crate::home::Home;
use crate::inventory::{self, Look};
use crate::leftovers::{self, Found};
use crate::progress::{self, Going, Step};
use crate::session::{Age, Class, Failure, Sent, Session};
use crate::status;
use crate::wire::{Progress, Vm};

pub(crate) async fn delete(
    session: &Session<'_>,
    home: &Home,
    owner: &Owner<'_>,
    keep_volumes: &[String],
) -> Result<DeleteOutcome, ProviderError> {
    let machine = owner.machine;
    if machine.name.is_empty() {
        let message = format!("{CLOUD}: a machine without a name has no VM that could be told from others");
        return Err(ProviderError::new(MachineCode::InvalidArgument, message));
    }
    if let Some(vm) = find(session, owner, Going::of(machine).step).await? {
        if vm.properties.provisioning_state == Progress::Deleting {
            return Ok(in_progress(None));
        }
        must_keep(&vm, keep_volumes)?;
        if let Some(answer) = send(session, &vm.name).await? {
            return Ok(in_progress(answer.retry_after));
        }
    }
    match leftovers::remove(session, home, owner).await? {
        Found::Some => Ok(in_progress(Some(std::time::Duration::from_secs(2)))),
        // Lists that show nothing are one look each, however empty they are.
        Found::Nothing => Ok(DeleteOutcome::Unproven),
    }
}

fn in_progress(wait: Option<std::time::Duration>) -> DeleteOutcome {
    DeleteOutcome::InProgress {
        state: Going::at(Step::Death, None).state(),
        retry_after: progress::pause(wait),
    }
}

/// The machine's VM; one that is another's stays, and is none when only its name led there.
async fn find(session: &Session<'_>, owner: &Owner<'_>, step: Step) -> Result<Option<Vm>, ProviderError> {
    let id = owner.machine.provider_id.as_deref();
    let name = id.map_or(Ok(owner.machine.name.as_str()), |id| status::vm_name(session, id))?;
    let was_told = step == Step::Death;
    let age = if was_told { Age::Recent } else { Age::New };
    let mut seen = inventory::named(&inventory::vms(session, age).await?, name).cloned();
    let is_going = |vm: &Vm| vm.properties.provisioning_state == Progress::Deleting;
    if was_told && seen.as_ref().is_some_and(|vm| !is_going(vm)) {
        // A list that began before the VM was told to go.
        seen = inventory::named(&inventory::vms(session, Age::New).await?, name).cloned();
    }
    if seen.is_none() && !was_told {
        seen = inventory::vm(session, name, Look::Plain).await?;
    }
    let Some(vm) = seen else { return Ok(None) };
    if id.is_some() {
        owner.must_own(&vm.name, &vm.tags)?;
        return Ok(Some(vm));
    }
    Ok(status::is_machines(&vm, owner).then_some(vm))
}

/// A volume that would be deleted together with the VM, since somebody attached it so.
fn must_keep(vm: &Vm, keep: &[String]) -> Result<(), ProviderError> {
    let is_kept = |name: &str, id: &str| {
        keep.iter().any(|kept| kept.eq_ignore_ascii_case(name) || kept.eq_ignore_ascii_case(id))
    };
    let doomed = vm.properties.storage_profile.data_disks.iter().find(|disk| {
        let goes = disk.delete_option.as_deref().is_some_and(|option| option.eq_ignore_ascii_case("Delete"));
        goes && is_kept(&disk.name, disk.managed_disk.as_ref().map_or("", |managed| &managed.id))
    });
    let Some(disk) = doomed else { return Ok(()) };
    let message = format!(
        "{CLOUD}: volume {} would be deleted together with VM {}; detach it, or set its deleteOption to Detach",
        disk.name, vm.name
    );
    Err(ProviderError::new(MachineCode::FailedPrecondition, message))
}

/// Tells a VM to go. `None` when there is none.
pub(crate) async fn send(session: &Session<'_>, name: &str) -> Result<Option<Answer>, ProviderError> {
    let path = format!("{}?api-version={COMPUTE}", session.place().one(Kind::Vm, name));
    let sent =
        Sent::new("virtualMachines.delete", Class::ComputeWrite, Urgency::Delete, Method::DELETE, path);
    match session.send(sent).await {
        Ok(answer) if answer.status == http::StatusCode::NO_CONTENT => Ok(None),
        Ok(answer) => Ok(Some(answer)),
        Err(Failure::Refused(error)) if errors::says_absent(&error) => Ok(None),
        Err(failure) => Err(failure.into()),
    }
}
