//! Making a VM: one call that EC2 answers with the same VM however often it is made.
//!
//! The token comes from the machine's UID, so that no VM of ours needs to be looked for before. Only for what another controller
//! made, which has no such token, a list is read before the first request. When EC2 says that the token stands for something else,
//! or shows a VM that has ended, it is found out what is there.

use std::time::Duration;

use aws_sdk_ec2::types::Instance;
use millwright_api::MachineCode;
use millwright_cloud_http::Urgency;
use millwright_provider::{CreateOutcome, MachineView, ProviderError, Scope, UserData};

use crate::annotated_placement;
use crate::attempt::Attempt;
use crate::belonging::{fits, must_be_ours};
use crate::earlier;
use crate::find::only_one;
use crate::instances;
use crate::run_instances::{Whose, request};
use crate::secrets::{USER_DATA_LIMIT, too_long};
use crate::session::{Class, Session};
use crate::spec::Spec;
use crate::status::nameless;
use crate::{images, vm};

/// How long EC2 may take to show to one of its servers what another one did.
const LAG: Duration = Duration::from_secs(5);
/// More attempts than VMs of one machine can ever have ended in the hour that EC2 shows them.
const MOST_ATTEMPTS: usize = 8;

pub(crate) async fn create(
    session: &Session<'_>,
    spec: &Spec,
    machine: &MachineView,
    scope: &Scope,
    user_data: &UserData,
) -> Result<CreateOutcome, ProviderError> {
    let invalid = |message: String| ProviderError::new(MachineCode::InvalidArgument, message);
    let uid = machine.uid.as_deref().ok_or_else(|| {
        invalid(format!("machine {} has no UID, so that its VM would have no token", machine.name))
    })?;
    let length = user_data.expose().len();
    if length > USER_DATA_LIMIT {
        return Err(invalid(format!("user data of machine {} {}", machine.name, too_long(length))));
    }
    let mut attempt = Attempt::of(machine);
    let outcome = Box::pin(attempts(session, spec, machine, scope, uid, user_data, &mut attempt)).await;
    outcome.map_err(|mut error| {
        error.state = attempt.state();
        error
    })
}

async fn attempts(
    session: &Session<'_>,
    spec: &Spec,
    machine: &MachineView,
    scope: &Scope,
    uid: &str,
    user_data: &UserData,
    attempt: &mut Attempt,
) -> Result<CreateOutcome, ProviderError> {
    if let Some(id) = attempt.instance.clone()
        && let Some(instance) = instances::by_id(session, &id).await?
        && vm::is_there(&instance)
        // It was in the machine's status, where others may write.
        && fits(instance.tags(), machine)
        && must_be_ours(&instance, machine, scope, spec.home.belonging).is_ok()
    {
        return made(&instance, spec, attempt);
    }
    // A machine that remembers an attempt of ours has had this look.
    if *attempt == Attempt::default()
        && let Some(instance) = earlier::find(session, &spec.home, machine, scope).await?
    {
        return made(&instance, spec, attempt);
    }
    let image = images::of(session, spec).await?;
    let annotated = if spec.placement.is_none() { annotated_placement::of(machine)? } else { None };
    let placement = spec.placement.as_ref().or(annotated.as_ref());
    for _ in 0..MOST_ATTEMPTS {
        let whose = Whose { name: &machine.name, uid, token: attempt.token(uid), placement };
        let send = Box::pin(request(session.ec2(), spec, &image, &whose, user_data).send());
        match session.call("RunInstances", Class::Run, Urgency::Create, send).await {
            Ok(answer) => {
                let instance = answer.instances.into_iter().flatten().next().ok_or_else(|| {
                    ProviderError::new(
                        MachineCode::Unavailable,
                        "AWS: RunInstances: the answer has no instance in it",
                    )
                })?;
                if vm::is_there(&instance) {
                    must_be_ours(&instance, machine, scope, spec.home.belonging)?;
                    return made(&instance, spec, attempt);
                }
                *attempt = attempt.next();
            }
            Err(error) if error.cloud_code() == Some("IdempotentParameterMismatch") => {
                let (there, ended): (Vec<Instance>, Vec<Instance>) =
                    instances::by_uid(session, uid).await?.into_iter().partition(vm::is_there);
                if let Some(instance) = only_one(there, &spec.home)? {
                    must_be_ours(&instance, machine, scope, spec.home.belonging)?;
                    return made(&instance, spec, attempt);
                }
                if !attempt.is_over(ended.len()) {
                    *attempt = attempt.unseen();
                    return waits(attempt, None);
                }
                *attempt = attempt.next();
            }
            Err(error) if error.cloud_code() == Some("IdempotentInstanceTerminated") => {
                *attempt = attempt.next();
            }
            Err(error) => return Err(error.into()),
        }
    }
    let message = format!("AWS: {MOST_ATTEMPTS} VMs of machine {} ended one after the other", machine.name);
    Err(ProviderError::new(MachineCode::Aborted, message))
}

/// The VM is there; whether it is complete depends on its name.
fn made(instance: &Instance, spec: &Spec, attempt: &mut Attempt) -> Result<CreateOutcome, ProviderError> {
    if let Some(name) = vm::node_name(instance) {
        return Ok(CreateOutcome::Created(vm::of(instance, name, spec)));
    }
    *attempt = attempt.waits_for(vm::id(instance)).ok_or_else(|| nameless(instance))?;
    waits(attempt, Some(vm::provider_id(instance, &spec.home.region, spec.home.id_form)))
}

fn waits(attempt: &Attempt, provider_id: Option<String>) -> Result<CreateOutcome, ProviderError> {
    let state = attempt.state().ok_or_else(|| {
        ProviderError::new(MachineCode::Internal, "AWS: the state of a creation could not be written down")
    })?;
    Ok(CreateOutcome::InProgress { provider_id, state, retry_after: LAG })
}
