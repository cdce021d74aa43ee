//! Finding a machine's VM: by its id, else by name and UID within the scope, else by UID alone where the dialect has it so.

use aws_sdk_ec2::types::Instance;
use millwright_api::MachineCode;
use millwright_provider::{MachineView, ProviderError, Scope};

use crate::belonging::{fits, in_scope, must_be_ours};
use crate::home::{Belonging, Home};
use crate::instances;
use crate::provider_id;
use crate::session::Session;
use crate::vm;

/// What was found of a machine.
pub(crate) enum Found {
    /// These VMs are there.
    There(Vec<Instance>),
    /// None is; of the last one EC2 still knows why it ended.
    Gone { why: Option<String> },
}

/// All VMs that are the machine's. With an id only that one.
pub(crate) async fn find(
    session: &Session<'_>,
    home: &Home,
    machine: &MachineView,
    scope: &Scope,
) -> Result<Found, ProviderError> {
    let id =
        machine.provider_id.as_deref().map(|id| provider_id::instance_in(id, &home.region)).transpose()?;
    let listed = instances::of_scope(session, scope).await?;
    let Some(id) = id else {
        // EC2 filters; what decides is what the VM carries.
        let ours = |instance: &&Instance| in_scope(instance.tags(), scope) && fits(instance.tags(), machine);
        let mut there: Vec<Instance> = listed.iter().filter(ours).cloned().collect();
        if let (true, Belonging::ScopeOrUid, Some(uid)) = (there.is_empty(), home.belonging, &machine.uid) {
            there = instances::by_uid(session, uid).await?;
            there.retain(vm::is_there);
        }
        return Ok(if there.is_empty() { Found::Gone { why: None } } else { Found::There(there) });
    };
    let listed = listed.iter().find(|instance| vm::id(instance) == id).cloned();
    // Whether it is somebody else's, gone, or too new for the list, only EC2 knows.
    let found = match listed {
        Some(instance) => Some(instance),
        None => instances::by_id(session, id).await?,
    };
    match found {
        Some(instance) if vm::is_there(&instance) => {
            must_be_ours(&instance, machine, scope, home.belonging)?;
            Ok(Found::There(vec![instance]))
        }
        Some(instance) => Ok(Found::Gone { why: why(&instance) }),
        None => Ok(Found::Gone { why: None }),
    }
}

/// The one VM; several are an error that names them all.
pub(crate) fn only_one(mut there: Vec<Instance>, home: &Home) -> Result<Option<Instance>, ProviderError> {
    if there.len() > 1 {
        let ids = there.iter().map(|instance| vm::provider_id(instance, &home.region, home.id_form));
        let message =
            format!("AWS: several VMs answer to one machine: {}", ids.collect::<Vec<_>>().join(", "));
        return Err(ProviderError::new(MachineCode::OutOfRange, message));
    }
    Ok(there.pop())
}

fn why(instance: &Instance) -> Option<String> {
    let reason = instance.state_reason()?;
    let text = reason.message().or_else(|| reason.code())?;
    Some(format!("{} ended: {text}", vm::id(instance)))
}
