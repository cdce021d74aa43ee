//! Making a server. Nova takes no key that would make a second request the first one, so its earlier server is looked for: in one
//! list for all that are born in the same moment. What this attempt makes before a refusal, it takes away again.
//!
//! Nothing is waited for: while Nova or Cinder is at it the call ends, and the next one takes up what it finds.

use std::time::Duration;

use millwright_api::MachineCode;
use millwright_cloud_http::{CloudError, Urgency};
use millwright_provider::{CreateOutcome, Initialization, MachineView, ProviderError, Scope, UserData};
use serde::Deserialize;

use super::calls::{Call, Calls};
use super::errors::error_table;
use super::lookup::{self, Kind};
use super::nova::{self, Server, Status};
use super::order::{Attachments, Parts, body};
use super::port::{self, Origin, OwnPort};
use super::refusal::{CLOUD, CallError};
use super::root_volume::{self, RootVolume};
use super::service::Service;
use super::state::State;
use super::{cinder, find, neutron, pairs};
use crate::secrets::{USER_DATA_LIMIT, too_long};
use crate::spec::{Networks, RootDisk, Spec};

/// When to look again at what is being made.
const POLL: Duration = Duration::from_secs(5);
/// A list that began so long ago still says whether something is ready: many that wait share one.
const FRESH: Duration = Duration::from_secs(2);

#[derive(Deserialize)]
struct Made {
    server: MadeServer,
}

#[derive(Deserialize)]
struct MadeServer {
    id: String,
}

pub(crate) async fn create(
    calls: &Calls<'_>,
    spec: &Spec,
    machine: &MachineView,
    scope: &Scope,
    user_data: &UserData,
) -> Result<CreateOutcome, ProviderError> {
    let invalid = |message: String| ProviderError::new(MachineCode::InvalidArgument, message);
    if machine.name.is_empty() || machine.uid.is_none() {
        return Err(invalid(format!("machine {:?} needs a name and a UID for its server", machine.name)));
    }
    let length = user_data.expose().len();
    if length > USER_DATA_LIMIT {
        return Err(invalid(format!("user data of machine {} {}", machine.name, too_long(length))));
    }
    let state = State::read(machine.state.as_ref());
    let began = calls.now();
    if let Some(id) = &state.server {
        let servers = find::servers(calls, began.checked_sub(FRESH).unwrap_or(began)).await?;
        if let Some(server) = find::asked_for(&servers, id, machine, scope, &spec.home) {
            return take_up(calls, spec, server).await;
        }
    }
    let servers = find::servers(calls, began).await?;
    if let Some(server) = find::only_one(&spec.home, &find::of_machine(&servers, machine, scope, &spec.home))?
    {
        return take_up(calls, spec, server).await;
    }
    refuse_namesake(&servers, machine, scope)?;
    make(calls, spec, machine, scope, user_data, &servers).await
}

/// Two nodes of one cluster can't have one name.
fn refuse_namesake(servers: &[Server], machine: &MachineView, scope: &Scope) -> Result<(), ProviderError> {
    let is_namesake = |server: &&Server| server.name() == machine.name && find::in_scope(server, scope);
    match servers.iter().find(is_namesake) {
        Some(server) if !server.is_going() => {
            let message = format!(
                "server {} of this cluster has the name {:?} already and was made for another machine ({}); it stays",
                server.id,
                machine.name,
                find::uid(server).unwrap_or("it has no UID")
            );
            Err(ProviderError::new(MachineCode::AlreadyExists, message))
        }
        Some(_) | None => Ok(()),
    }
}

/// Goes on with a server that is there.
async fn take_up(calls: &Calls<'_>, spec: &Spec, server: &Server) -> Result<CreateOutcome, ProviderError> {
    if server.is_going() {
        // What failed goes before the next attempt.
        return in_progress(State::default(), None);
    }
    if server.is_stillborn() {
        nova::delete(calls, &server.id).await?;
        let said = server.fault.as_ref().map(|fault| fault.message.clone()).unwrap_or_default();
        let error = CloudError {
            operation: "servers.create",
            http: 0,
            code: String::new(),
            message: format!("server {} failed and was deleted: {said}", server.id),
            request_id: None,
            retry_after: None,
        };
        let mut error = error.of(CLOUD, error_table());
        error.state = Some(State::default().write()?);
        return Err(error);
    }
    if server.status == Status::Build {
        let state = State { server: Some(server.id.clone()), ..State::default() };
        return in_progress(state, Some(find::provider_id(&spec.home, server)));
    }
    let initialization = if pairs::are_wanted(spec) {
        Initialization::Missing { reason: "its ports do not let pods' addresses through yet".to_owned() }
    } else {
        Initialization::Done
    };
    Ok(CreateOutcome::Created(find::instance(&spec.home, server, initialization)))
}

fn in_progress(state: State, provider_id: Option<String>) -> Result<CreateOutcome, ProviderError> {
    Ok(CreateOutcome::InProgress { provider_id, state: state.write()?, retry_after: POLL })
}

async fn make(
    calls: &Calls<'_>,
    spec: &Spec,
    machine: &MachineView,
    scope: &Scope,
    user_data: &UserData,
    servers: &[Server],
) -> Result<CreateOutcome, ProviderError> {
    let began = calls.now();
    let flavor = lookup::id(calls, Kind::Flavor, &crate::spec::Named::Either(spec.flavor.clone())).await?;
    let image = lookup::id(calls, Kind::Image, &spec.image).await?;
    let volume = match &spec.root_disk {
        RootDisk::Volume { gib, volume_type } => {
            let disk = (*gib, volume_type.as_str());
            match root_volume::ensure(calls, spec, disk, &image, machine, scope, began).await? {
                RootVolume::Ready(id) => Some(id),
                RootVolume::Coming(id) => {
                    return in_progress(State { volume: Some(id), ..State::default() }, None);
                }
            }
        }
        RootDisk::OfFlavor | RootDisk::OfSize { .. } => None,
    };
    let (networks, own_port) = networks(calls, spec, machine, scope, servers).await?;
    let parts = Parts { flavor, image, networks, volume };
    let uid = machine.uid.as_deref().unwrap_or_default();
    let order = body(spec, &machine.name, uid, user_data.expose(), &parts);
    let call = Call {
        operation: "servers.create",
        urgency: Urgency::Create,
        service: Service::Compute,
        path: "/servers",
    };
    match calls.post::<Made>(call, &order).await {
        Ok(Made { server: MadeServer { id } }) => {
            let provider_id = spec.home.id_form.write(&spec.home.region, &id);
            in_progress(State { server: Some(id), ..State::default() }, Some(provider_id))
        }
        Err(error) => {
            // Without an answer there may be a server that uses them; and a refusal that passes is tried again with them.
            if error.is_final() {
                take_away(calls, machine, own_port, parts.volume).await;
            }
            let mut error = ProviderError::from(error);
            error.state = Some(State::default().write()?);
            Err(error)
        }
    }
}

async fn networks(
    calls: &Calls<'_>,
    spec: &Spec,
    machine: &MachineView,
    scope: &Scope,
    servers: &[Server],
) -> Result<(Attachments, Option<OwnPort>), CallError> {
    match &spec.networks {
        Networks::Attached(networks) => {
            let mut ids = Vec::new();
            for attached in networks {
                ids.push(lookup::id(calls, Kind::Network, &attached.network).await?);
            }
            Ok((Attachments::Networks(ids), None))
        }
        Networks::OwnPort { network, subnets } => {
            let port =
                port::ensure(calls, spec, (network, subnets), machine, scope, servers, calls.now()).await?;
            Ok((Attachments::Port(port.id.clone()), Some(port)))
        }
    }
}

/// Takes away what was made for a server that was refused. What stays is found by the next attempt, or by the machine's death.
async fn take_away(calls: &Calls<'_>, machine: &MachineView, port: Option<OwnPort>, volume: Option<String>) {
    let mut outcomes = Vec::new();
    if let Some(OwnPort { id, origin: Origin::Made }) = port {
        outcomes.push(neutron::delete(calls, &id).await);
    }
    if let Some(id) = volume {
        outcomes.push(cinder::delete(calls, &id).await);
    }
    for error in outcomes.into_iter().filter_map(Result::err) {
        let error = ProviderError::from(error);
        tracing::warn!(machine = machine.name, %error, "parts of a refused creation wait for the next try");
    }
}
