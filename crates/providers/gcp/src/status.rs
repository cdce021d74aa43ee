//! Looking a VM up; it changes nothing.

use k8s_openapi::api::core::v1::NodeAddress;
use millwright_api::MachineCode;
use millwright_cloud_http::Urgency;
use millwright_provider::{Initialization, Instance, MachineView, Power, ProviderError, Scope};

use crate::belonging::{is_of, must_be_of};
use crate::errors::{CLOUD, CallError};
use crate::home::{Home, KnownBy};
use crate::names::is_name;
use crate::own_labels::MACHINE_UID;
use crate::provider_id::{IdForm, VmPlace};
use crate::session::Session;
use crate::wire::{self, INSTANCE_FIELDS, Status};

pub(crate) async fn status(
    session: &Session<'_>,
    home: &Home,
    machine: &MachineView,
    scope: &Scope,
) -> Result<Instance, ProviderError> {
    let (found, zone) = match &machine.provider_id {
        Some(id) => {
            let place = VmPlace::of(id)?;
            let vm = by_name(session, place.zone, place.name, Urgency::Poll).await?;
            if let Some(vm) = &vm {
                must_be_of(vm, machine, scope, home.known_by)?;
            }
            (vm, place.zone)
        }
        None => (without_id(session, home, machine, scope).await?, home.zone.as_str()),
    };
    found.map(|vm| instance(&vm, session, zone, home.id_form)).ok_or_else(|| {
        let message = format!(
            "{CLOUD}: machine {} has no VM in zone {zone} of project {}",
            machine.name, session.project
        );
        ProviderError::new(MachineCode::NotFound, message)
    })
}

/// The machine's VM by its name, and where names are not the machine's, by its UID.
pub(crate) async fn without_id(
    session: &Session<'_>,
    home: &Home,
    machine: &MachineView,
    scope: &Scope,
) -> Result<Option<wire::Instance>, ProviderError> {
    if is_name(&machine.name)
        && let Some(vm) = by_name(session, &home.zone, &machine.name, Urgency::Poll).await?
        && is_of(&vm, machine, scope, home.known_by)
    {
        return Ok(Some(vm));
    }
    match (home.known_by, &machine.uid) {
        (KnownBy::Uid, Some(uid)) => only_one(by_uid(session, &home.zone, uid).await?, session, home),
        (KnownBy::Scope, _) | (_, None) => Ok(None),
    }
}

/// The VM of that name; none when the cloud says that it is not there.
pub(crate) async fn by_name(
    session: &Session<'_>,
    zone: &str,
    name: &str,
    urgency: Urgency,
) -> Result<Option<wire::Instance>, CallError> {
    let path = format!("zones/{zone}/instances/{name}");
    match session.get("instances.get", urgency, path, &[("fields", INSTANCE_FIELDS)]).await {
        Ok(vm) => Ok(Some(vm)),
        Err(error) if error.says_missing(&[name]) => Ok(None),
        Err(error) => Err(error),
    }
}

async fn by_uid(session: &Session<'_>, zone: &str, uid: &str) -> Result<Vec<wire::Instance>, CallError> {
    let fields = format!("items({INSTANCE_FIELDS}),nextPageToken,warning/code");
    let filter = format!("labels.{MACHINE_UID}={uid}");
    let query = [("fields", fields.as_str()), ("filter", filter.as_str())];
    let mut vms: Vec<wire::Instance> =
        session.list("instances.list", &format!("zones/{zone}/instances"), &query).await?;
    vms.retain(|vm| vm.labels.get(MACHINE_UID).is_some_and(|labelled| labelled == uid));
    Ok(vms)
}

/// The one VM; several are an error that names them all.
fn only_one(
    mut vms: Vec<wire::Instance>,
    session: &Session<'_>,
    home: &Home,
) -> Result<Option<wire::Instance>, ProviderError> {
    if vms.len() > 1 {
        let ids: Vec<String> = vms.iter().map(|vm| id(vm, session, &home.zone, home.id_form)).collect();
        let message =
            format!("{CLOUD}: several VMs answer to one machine: {}; delete all but one", ids.join(", "));
        return Err(ProviderError::new(MachineCode::OutOfRange, message));
    }
    Ok(vms.pop())
}

/// The id under which the host knows the VM.
pub(crate) fn id(vm: &wire::Instance, session: &Session<'_>, zone: &str, form: IdForm) -> String {
    VmPlace { project: &session.project, zone, name: &vm.name }.id(form)
}

/// The VM in the contract's terms.
pub(crate) fn instance(vm: &wire::Instance, session: &Session<'_>, zone: &str, form: IdForm) -> Instance {
    Instance {
        provider_id: id(vm, session, zone, form),
        node_name: vm.name.clone(),
        addresses: addresses(vm),
        power: match vm.status {
            Status::Provisioning | Status::Staging => Power::Creating,
            Status::Running | Status::Repairing => Power::Running,
            Status::Stopping
            | Status::PendingStop
            | Status::Stopped
            | Status::Suspending
            | Status::Suspended
            | Status::Terminated
            | Status::Deprovisioning => Power::Stopped,
            Status::Unknown => Power::Unknown,
        },
        initialization: Initialization::Done,
    }
}

fn addresses(vm: &wire::Instance) -> Vec<NodeAddress> {
    let address =
        |kind: &str, address: &str| NodeAddress { type_: kind.to_owned(), address: address.to_owned() };
    let mut addresses = Vec::new();
    for interface in &vm.network_interfaces {
        let internal = interface.network_ip.iter().chain(&interface.ipv6_address);
        addresses.extend(internal.map(|ip| address("InternalIP", ip)));
        let external = interface.access_configs.iter().filter_map(|config| config.nat_ip.as_ref());
        let external_v6 =
            interface.ipv6_access_configs.iter().filter_map(|config| config.external_ipv6.as_ref());
        addresses.extend(external.chain(external_v6).map(|ip| address("ExternalIP", ip)));
    }
    addresses.retain(|address| !address.address.is_empty());
    addresses.push(address("Hostname", &vm.name));
    addresses
}
