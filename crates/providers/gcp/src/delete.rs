//! Ending a VM and what belongs to it.
//!
//! One look says whose it is, and the deletion names the VM by its number, so that a name that went over to somebody else
//! meanwhile can do no harm. Whether it is gone is seen in a list that all who die share; that is no proof, so that nothing is
//! called gone here. Disks go with their VM. Those that did not, and carry the machine's labels, are removed when no VM is seen.

use std::time::Duration;

use http::Method;
use millwright_api::MachineCode;
use millwright_cloud_http::{CloudError, Urgency};
use millwright_provider::{DeleteOutcome, MachineView, ProviderError, Scope};
use serde::de::IgnoredAny;

use crate::belonging::{is_left_over, must_be_of};
use crate::errors::{self, CLOUD, CallError};
use crate::home::Home;
use crate::names::is_name;
use crate::progress::Progress;
use crate::provider_id::VmPlace;
use crate::session::{Call, Session};
use crate::status::{by_name, without_id};
use crate::wire::{AttachedDisk, Instance, Operation, Status};
use crate::zone_lists;

/// A VM is gone after twenty to sixty seconds.
const POLL: Duration = Duration::from_secs(5);

/// A deletion.
pub(crate) struct Deletion<'a> {
    pub(crate) session: &'a Session<'a>,
    pub(crate) home: &'a Home,
    pub(crate) machine: &'a MachineView,
    pub(crate) scope: &'a Scope,
    pub(crate) keep_volumes: &'a [String],
}

/// How far a deletion that was asked for has come.
enum Course {
    GoesOn,
    /// No VM is seen any more.
    Over,
    /// It ended, and there is a VM.
    NotTheEnd,
}

impl Deletion<'_> {
    pub(crate) async fn run(&self) -> Result<DeleteOutcome, ProviderError> {
        let Self { session, home, machine, scope, .. } = self;
        if machine.name.is_empty() {
            let message =
                format!("{CLOUD}: a machine without a name has no VM that could be told from others");
            return Err(ProviderError::new(MachineCode::InvalidArgument, message));
        }
        let place = machine.provider_id.as_deref().map(VmPlace::of).transpose()?;
        let zone = place.map_or(home.zone.as_str(), |place| place.zone);
        let progress = Progress::of(machine);
        if let Some(operation) = &progress.delete {
            match self.course(zone, place, operation).await? {
                Course::GoesOn => return Ok(waiting(&progress)),
                Course::Over => {
                    remove_left_over(session, zone, machine, scope).await?;
                    return Ok(DeleteOutcome::Unproven);
                }
                Course::NotTheEnd => {}
            }
        }
        let vm = match place {
            Some(place) => {
                let vm = by_name(session, zone, place.name, Urgency::Delete).await?;
                if let Some(vm) = &vm {
                    must_be_of(vm, machine, scope, home.known_by)?;
                }
                vm
            }
            None => without_id(session, home, machine, scope).await?,
        };
        match vm {
            Some(vm) => self.end(zone, &vm, &progress).await,
            None if self.is_being_made(zone, &progress).await? => Ok(waiting(&progress)),
            None => {
                remove_left_over(session, zone, machine, scope).await?;
                Ok(DeleteOutcome::Unproven)
            }
        }
    }

    async fn end(
        &self,
        zone: &str,
        vm: &Instance,
        progress: &Progress,
    ) -> Result<DeleteOutcome, ProviderError> {
        // It goes already, or is switched off and can be asked to go then.
        if matches!(vm.status, Status::Stopping | Status::Deprovisioning) {
            return Ok(waiting(&Progress { delete: None, ..progress.clone() }));
        }
        if let Some(disk) = vm.disks.iter().find(|disk| disk.auto_delete && self.is_kept(disk)) {
            self.keep(zone, vm, disk).await?;
            return Ok(waiting(&Progress { delete: None, ..progress.clone() }));
        }
        let ended = self
            .session
            .call::<Operation>(Call {
                operation: "instances.delete",
                urgency: Urgency::Delete,
                method: Method::DELETE,
                path: format!("zones/{zone}/instances/{}", vm.id),
                query: &[],
                body: None,
            })
            .await;
        match ended {
            Ok(operation) => Ok(waiting(&progress.deleting(&operation.name))),
            Err(error) if error.says_missing(&[&vm.id, &vm.name]) => Ok(DeleteOutcome::Unproven),
            Err(error) => Err(error.into()),
        }
    }

    /// How far the deletion has come, by a list that all who die share.
    async fn course(
        &self,
        zone: &str,
        place: Option<VmPlace<'_>>,
        operation: &str,
    ) -> Result<Course, ProviderError> {
        let name = place.map_or(self.machine.name.as_str(), |place| place.name);
        let seen = zone_lists::instances(self.session, zone).await?;
        let Some(vm) = seen.iter().find(|vm| vm.name == name) else { return Ok(Course::Over) };
        if vm.status == Status::Stopping {
            return Ok(Course::GoesOn);
        }
        // The list may be older than the deletion.
        match self.operation(zone, operation).await? {
            None => Ok(Course::NotTheEnd),
            Some(operation) if !operation.is_done() => Ok(Course::GoesOn),
            Some(operation) => operation.failure().map_or(Ok(Course::NotTheEnd), |failure| {
                let mut error = errors::of(&CloudError {
                    operation: "instances.delete",
                    http: 0,
                    code: failure.code.clone(),
                    message: failure.message.clone(),
                    request_id: Some(operation.name.clone()),
                    retry_after: None,
                });
                error.state = Some(Progress { delete: None, ..Progress::of(self.machine) }.state());
                Err(error)
            }),
        }
    }

    /// Whether a creation goes on whose VM is not to be seen yet.
    async fn is_being_made(&self, zone: &str, progress: &Progress) -> Result<bool, ProviderError> {
        let Some(operation) = progress.insert.as_deref().filter(|operation| is_name(operation)) else {
            return Ok(false);
        };
        Ok(self.operation(zone, operation).await?.is_some_and(|operation| !operation.is_done()))
    }

    async fn operation(&self, zone: &str, name: &str) -> Result<Option<Operation>, CallError> {
        let path = format!("zones/{zone}/operations/{name}");
        match self.session.get("zoneOperations.get", Urgency::Delete, path, &[]).await {
            Ok(operation) => Ok(Some(operation)),
            Err(error) if error.says_missing(&[name]) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn is_kept(&self, disk: &AttachedDisk) -> bool {
        let name = |id: &str| id.rsplit('/').next().unwrap_or_default().to_owned();
        self.keep_volumes.iter().any(|volume| name(volume) == name(&disk.source))
    }

    /// A volume that is to stay, but was attached as one that goes with the VM.
    async fn keep(&self, zone: &str, vm: &Instance, disk: &AttachedDisk) -> Result<(), CallError> {
        self.session
            .call::<IgnoredAny>(Call {
                operation: "instances.setDiskAutoDelete",
                urgency: Urgency::Delete,
                method: Method::POST,
                path: format!("zones/{zone}/instances/{}/setDiskAutoDelete", vm.id),
                query: &[("autoDelete", "false"), ("deviceName", &disk.device_name)],
                body: None,
            })
            .await
            .map(drop)
    }
}

/// Removes the machine's disks that outlived their VM.
pub(crate) async fn remove_left_over(
    session: &Session<'_>,
    zone: &str,
    machine: &MachineView,
    scope: &Scope,
) -> Result<(), ProviderError> {
    let disks = zone_lists::disks(session, zone).await?;
    for disk in disks.iter().filter(|disk| is_left_over(disk, machine, scope)) {
        let removed = session
            .call::<IgnoredAny>(Call {
                operation: "disks.delete",
                urgency: Urgency::Delete,
                method: Method::DELETE,
                path: format!("zones/{zone}/disks/{}", disk.name),
                query: &[],
                body: None,
            })
            .await;
        match removed {
            Err(error) if !error.says_missing(&[&disk.name]) => return Err(error.into()),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(())
}

fn waiting(progress: &Progress) -> DeleteOutcome {
    DeleteOutcome::InProgress { state: progress.state(), retry_after: POLL }
}
