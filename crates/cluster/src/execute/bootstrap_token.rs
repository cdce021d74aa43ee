//! A machine's own bootstrap token: issued before its VM, deleted when it has joined or is deleted.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use kube::api::{DeleteParams, PostParams, Preconditions};
use millwright_api::{Machine, MachineCode, ObjectView};
use millwright_bootstrap::{
    BootstrapToken, IssuedToken, SystemRandomness, TOKEN_NAMESPACE, TokenId, TokenOwner, renew_secret,
    token_secret,
};
use millwright_decide::elapsed::elapsed;
use millwright_decide::machine::{BootstrapToken as Knowledge, VmKnowledge};
use millwright_provider::ProviderError;

use super::ExecuteError;
use crate::Fleet;
use crate::client::{explain, says_gone};

/// Ids that are tried until one is free: that one is taken happens once in two billion machines.
const ATTEMPTS: u32 = 2;

/// The machine's token, made when there is none, renewed when it is about to end. While its VM is being made it is good as
/// long as it was said to be: a cloud that is asked every few seconds must not cost the API server as much.
pub(super) async fn ensure(fleet: &Fleet, machine: &Machine) -> Result<BootstrapToken, ProviderError> {
    if let Some(token) = in_use(fleet, machine) {
        return Ok(token);
    }
    let unavailable = |source: kube::Error| {
        // The decoder's message may quote what it could not decode.
        let reason = match &source {
            kube::Error::SerdeError(_) => "the answer could not be decoded".to_owned(),
            other => explain(other),
        };
        ProviderError::new(MachineCode::Unavailable, format!("issuing the bootstrap token: {reason}"))
    };
    let Some(api) = api(fleet) else {
        return Err(ProviderError::new(
            MachineCode::FailedPrecondition,
            "the user data asks for a bootstrap token, and there is no target cluster to join",
        ));
    };
    let settings = fleet.parts.settings.for_machine(machine);
    let expires = fleet.now().checked_add(settings.creation_timeout).unwrap_or_else(|_| fleet.now());
    for attempt in 0..ATTEMPTS {
        let id = TokenId::for_machine(machine.uid(), attempt);
        let name = id.secret_name();
        let token = BootstrapToken::generate(id, &mut SystemRandomness).map_err(|error| {
            ProviderError::new(MachineCode::Internal, format!("drawing a bootstrap token: {error}"))
        })?;
        let owner = TokenOwner { name: machine.name(), uid: machine.uid() };
        let secret = token_secret(&token, owner, expires, &fleet.parts.bootstrap_groups);
        match api.create(&PostParams::default(), &secret).await {
            Ok(_) => {
                issued(fleet, machine, &token, expires);
                return Ok(token);
            }
            Err(kube::Error::Api(status)) if status.is_already_exists() => {}
            Err(error) => return Err(unavailable(error)),
        }
        // An earlier attempt made one: take it up. Another machine's is left alone.
        // It has just expired. Under a second id, with the first one free, nobody would find it again.
        let Some(mut found) = look_up(&api, &name).await.map_err(unavailable)? else {
            let message = "issuing the bootstrap token: an old one was just deleted; trying again";
            return Err(ProviderError::new(MachineCode::Aborted, message));
        };
        let Some(known) = own(&found, machine) else { continue };
        let mut until = known.expires_at.unwrap_or(Timestamp::MAX);
        if known.needs_renewal(fleet.now(), settings.creation_timeout) {
            renew_secret(&mut found, expires);
            api.replace(&name, &PostParams::default(), &found).await.map_err(unavailable)?;
            until = expires;
        }
        issued(fleet, machine, &known.token, until);
        return Ok(known.token);
    }
    Err(ProviderError::new(
        MachineCode::Aborted,
        format!("no free bootstrap token id for machine {:?} after {ATTEMPTS} attempts", machine.name()),
    ))
}

/// Lets the machine's token live as long as the machine may join from now on, if there is one.
pub(super) async fn renew(fleet: &Fleet, machine: &Machine) -> Result<(), ExecuteError> {
    let Some((api, mut found, issued)) = find(fleet, machine).await? else {
        remember(fleet, machine, Knowledge::Deleted);
        return Ok(());
    };
    let timeout = fleet.parts.settings.for_machine(machine).creation_timeout;
    let wanted = fleet.now().checked_add(timeout).unwrap_or(Timestamp::MAX);
    let mut until = issued.expires_at.unwrap_or(Timestamp::MAX);
    if until < wanted {
        renew_secret(&mut found, wanted);
        let name = found.metadata.name.clone().unwrap_or_default();
        match api.replace(&name, &PostParams::default(), &found).await {
            Ok(_) => until = wanted,
            Err(source) => return Err(ExecuteError::new("renew", "bootstrap token", &name, source)),
        }
    }
    remember(fleet, machine, Knowledge::Issued { until });
    Ok(())
}

/// The machine's token as it is in the cluster.
async fn find(
    fleet: &Fleet,
    machine: &Machine,
) -> Result<Option<(Api<Secret>, Secret, IssuedToken)>, ExecuteError> {
    let Some(api) = api(fleet) else { return Ok(None) };
    for attempt in 0..ATTEMPTS {
        let name = TokenId::for_machine(machine.uid(), attempt).secret_name();
        let failed = |source| ExecuteError::new("get", "bootstrap token", &name, source);
        // One that is free proves nothing: the machine that held it may have gone, and ours have the next.
        let Some(found) = look_up(&api, &name).await.map_err(failed)? else { continue };
        if let Some(issued) = own(&found, machine) {
            return Ok(Some((api, found, issued)));
        }
    }
    Ok(None)
}

/// A Secret, or `None` when the API server says that there is no such one.
async fn look_up(api: &Api<Secret>, name: &str) -> Result<Option<Secret>, kube::Error> {
    match api.get(name).await {
        Ok(found) => Ok(Some(found)),
        Err(kube::Error::Api(status)) if says_gone(&status, name) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Deletes the machine's token, if there is one.
pub(super) async fn delete(fleet: &Fleet, machine: &Machine) -> Result<(), ExecuteError> {
    if let Some((api, found, _)) = find(fleet, machine).await? {
        let name = found.metadata.name.unwrap_or_default();
        let precondition = Preconditions { uid: found.metadata.uid, resource_version: None };
        match api.delete(&name, &DeleteParams::default().preconditions(precondition)).await {
            Ok(_) => {}
            Err(kube::Error::Api(status)) if says_gone(&status, &name) => {}
            Err(source) => return Err(ExecuteError::new("delete", "bootstrap token", &name, source)),
        }
    }
    remember(fleet, machine, Knowledge::Deleted);
    Ok(())
}

/// The token in a Secret, if it is this machine's.
fn own(found: &Secret, machine: &Machine) -> Option<IssuedToken> {
    IssuedToken::from_secret(found).ok().filter(|issued| issued.machine_uid.as_deref() == Some(machine.uid()))
}

fn api(fleet: &Fleet) -> Option<Api<Secret>> {
    fleet.parts.target.as_ref().map(|target| Api::namespaced(target.0.clone(), TOKEN_NAMESPACE))
}

/// The token that the VM which is being made has got, or gets in one of the next steps.
fn in_use(fleet: &Fleet, machine: &Machine) -> Option<BootstrapToken> {
    let lifetime = fleet.parts.settings.for_machine(machine).creation_timeout;
    let memories = fleet.memories.lock();
    let memory = memories.machines.get(machine.uid())?;
    let token = memories.tokens.get(machine.uid())?;
    match (&memory.vm, memory.bootstrap_token) {
        (VmKnowledge::Creating { .. }, Knowledge::Issued { until })
            if elapsed(fleet.now(), until) >= lifetime / 2 =>
        {
            Some(token.clone())
        }
        _ => None,
    }
}

fn issued(fleet: &Fleet, machine: &Machine, token: &BootstrapToken, until: Timestamp) {
    remember(fleet, machine, Knowledge::Issued { until });
    fleet.memories.lock().tokens.insert(machine.uid().to_owned(), token.clone());
}

/// Notes what is known of the machine's token.
pub(super) fn remember(fleet: &Fleet, machine: &Machine, token: Knowledge) {
    let mut memories = fleet.memories.lock();
    memories.machines.entry(machine.uid().to_owned()).or_default().bootstrap_token = token;
    if !token.may_exist() {
        memories.tokens.remove(machine.uid());
    }
}
