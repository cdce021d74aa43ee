//! Making a VM: its network interface, data disks from images, then the VM itself, each idempotent by its name.
//!
//! The VM is sent with `If-None-Match: *`, so that nothing needs to be asked before and nobody's VM is ever overwritten. Network
//! interfaces and disks know no such condition, so a list of the resource group, which all births at that time share, says
//! whether the name is free. How far Azure is, such a list says too.

mod parts;
mod refused;
mod vm;

use millwright_api::MachineCode;
use millwright_provider::{CreateOutcome, ProviderError, UserData};

use crate::belonging::Owner;
use crate::errors::CLOUD;
use crate::marketplace;
use crate::progress::{self, Going, Step};
use crate::secrets::{USER_DATA_LIMIT, too_long};
use crate::session::Session;
use crate::spec::Spec;

/// What a creation works with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Birth<'a> {
    pub(crate) session: &'a Session<'a>,
    pub(crate) spec: &'a Spec,
    pub(crate) owner: &'a Owner<'a>,
    pub(crate) uid: &'a str,
}

pub(crate) async fn create(
    session: &Session<'_>,
    spec: &Spec,
    owner: &Owner<'_>,
    user_data: &UserData,
) -> Result<CreateOutcome, ProviderError> {
    let machine = owner.machine;
    let invalid = |message: String| ProviderError::new(MachineCode::InvalidArgument, message);
    let uid = machine.uid.as_deref().ok_or_else(|| {
        invalid(format!(
            "{CLOUD}: machine {} has no UID, so that its VM could not be told from others",
            machine.name
        ))
    })?;
    let text = user_data.expose();
    if text.len() > USER_DATA_LIMIT {
        return Err(invalid(format!(
            "{CLOUD}: user data of machine {} {}",
            machine.name,
            too_long(text.len())
        )));
    }
    let birth = Birth { session, spec, owner, uid };
    let going = Going::of(machine);
    if going.step == Step::Vm
        && let Some(outcome) = vm::watch(&birth, &going).await?
    {
        return Ok(outcome);
    }
    // Before anything is made: an image that is not there leaves nothing behind.
    let plan = marketplace::plan(session, spec).await?;
    if let Some(outcome) = parts::make(&birth).await? {
        return Ok(outcome);
    }
    vm::make(&birth, plan, user_data).await
}

/// Come again: Azure is at that step.
pub(crate) fn in_progress(
    step: Step,
    operation: Option<String>,
    wait: Option<std::time::Duration>,
) -> CreateOutcome {
    CreateOutcome::InProgress {
        // The name says which VM it is; an id is given when there is a VM.
        provider_id: None,
        state: Going::at(step, operation).state(),
        retry_after: progress::pause(wait),
    }
}

/// The error ends this attempt: the next one begins anew.
pub(crate) fn ended(mut error: ProviderError) -> ProviderError {
    error.state = Some(Going::at(Step::Begin, None).state());
    error
}

/// A thing of somebody else has the name.
pub(crate) fn taken(what: &str, name: &str, reason: &str) -> ProviderError {
    let message =
        format!("{CLOUD}: {what} {name} is there already and {reason}: it stays, and no VM is made");
    ended(ProviderError::new(MachineCode::AlreadyExists, message))
}
