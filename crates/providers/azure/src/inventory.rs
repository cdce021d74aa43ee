//! What is in the resource group: lists that all who wait share, and single VMs where a list is not believed.

use std::sync::Arc;

use http::Method;
use millwright_cloud_http::Urgency;
use millwright_provider::ProviderError;

use crate::arm::{COMPUTE, Kind};
use crate::errors;
use crate::session::{Age, Class, Failure, Sent, Session, never_absent};
use crate::wire::{Disk, Nic, Vm};

pub(crate) async fn vms(session: &Session<'_>, age: Age) -> Result<Arc<Vec<Vm>>, ProviderError> {
    session
        .shared(&session.account.vms, age, session.list("virtualMachines.list", Kind::Vm, Urgency::Poll))
        .await
}

pub(crate) async fn nics(session: &Session<'_>, age: Age) -> Result<Arc<Vec<Nic>>, ProviderError> {
    session
        .shared(&session.account.nics, age, session.list("networkInterfaces.list", Kind::Nic, Urgency::Poll))
        .await
}

pub(crate) async fn disks(session: &Session<'_>, age: Age) -> Result<Arc<Vec<Disk>>, ProviderError> {
    session.shared(&session.account.disks, age, session.list("disks.list", Kind::Disk, Urgency::Poll)).await
}

/// One VM by name, asked of itself; none when Azure says that there is none.
pub(crate) async fn vm(session: &Session<'_>, name: &str, look: Look) -> Result<Option<Vm>, ProviderError> {
    const OPERATION: &str = "virtualMachines.get";
    let expand = match look {
        Look::Plain => "",
        Look::WithInstanceView => "&$expand=instanceView",
    };
    let path = format!("{}?api-version={COMPUTE}{expand}", session.place().one(Kind::Vm, name));
    match session.send(Sent::new(OPERATION, Class::ComputeRead, Urgency::Poll, Method::GET, path)).await {
        Ok(answer) => answer.json().map(Some).map_err(|error| session.unreadable(OPERATION, &error)),
        Err(Failure::Refused(error)) if errors::says_absent(&error) => Ok(None),
        Err(failure) => Err(never_absent(failure.into())),
    }
}

/// What is asked of a VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Plain,
    /// Also why its creation failed.
    WithInstanceView,
}

/// The VM of that name in a list.
pub(crate) fn named<'a>(vms: &'a [Vm], name: &str) -> Option<&'a Vm> {
    vms.iter().find(|vm| vm.name.eq_ignore_ascii_case(name))
}
