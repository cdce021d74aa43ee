//! Making a VM: one call that is idempotent by the machine's UID and wants the name for itself.
//!
//! The same request finds an earlier VM and makes a new one, so nothing is asked before. Only when the
//! cloud refuses because of the name or the token, a second call finds out whose VM that is. A cloud that accepts it and goes on
//! is asked about its order.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use millwright_api::MachineCode;
use millwright_provider::{CreateOutcome, MachineView, ProviderError, Scope, UserData};

use crate::belonging::must_be_ours;
use crate::errors::CallError;
use crate::ordered::POLL;
use crate::progress::Progress;
use crate::secrets::{USER_DATA_LIMIT, too_long};
use crate::session::Session;
use crate::spec::Spec;
use crate::status::only_one;
use crate::validate::UID_TAG;
use crate::wire::{Accepted, Boot, CloudCode, CreateVm, IfNameTaken, Order, OrderState, Vm};
use crate::{delete, find, ordered};

pub(crate) async fn create(
    session: &Session<'_>,
    spec: &Spec,
    machine: &MachineView,
    scope: &Scope,
    user_data: &UserData,
) -> Result<CreateOutcome, ProviderError> {
    let invalid = |message: String| ProviderError::new(MachineCode::InvalidArgument, message);
    if let Progress::Creation { order } = Progress::of(machine)
        && let Some(outcome) = follow(session, &order, machine, scope).await?
    {
        return Ok(outcome);
    }
    let uid = machine.uid.as_deref().ok_or_else(|| {
        invalid(format!("machine {} has no UID, so that its VM would have no token", machine.name))
    })?;
    let text = user_data.expose();
    if text.len() > USER_DATA_LIMIT {
        return Err(invalid(format!("user data of machine {} {}", machine.name, too_long(text.len()))));
    }
    let mut tags: std::collections::BTreeMap<&str, &str> =
        spec.tags.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    tags.insert(UID_TAG, uid);
    let request = CreateVm {
        name: &machine.name,
        if_name_taken: IfNameTaken::Refuse,
        client_token: uid,
        size: &spec.size,
        image: &spec.image,
        zone: &spec.zone,
        disk_gib: spec.disk_gib,
        network: &spec.network,
        tags,
        user_data: STANDARD.encode(text),
        boot: Boot { mode: spec.boot.mode, delay_seconds: spec.boot.delay.as_secs_f64() },
    };
    let vm = match session.post::<Accepted<Vm>>("/v1/vms", &request).await {
        Ok(Accepted::Done(vm)) => vm,
        Ok(Accepted::Begun { order }) => return Ok(goes_on(&order)),
        Err(refused) if matches!(refused.cloud_code(), Some(CloudCode::NameTaken | CloudCode::Conflict)) => {
            earlier(session, machine, scope, refused).await?
        }
        Err(refused) => {
            // Each try of a creation that finds no room would else leave one more NIC and disk until the machine's death.
            if matches!(refused.cloud_code(), Some(CloudCode::OutOfCapacity | CloudCode::QuotaExceeded))
                && let Err(error) = delete::leftovers(session, machine, scope).await
            {
                let error = ProviderError::from(error);
                tracing::warn!(machine = machine.name, %error, "parts of a failed creation wait for the next try");
            }
            return Err(refused.into());
        }
    };
    must_be_ours(&vm, machine, scope)?;
    Ok(CreateOutcome::Created(find::instance(&vm)))
}

/// How the creation that was accepted is going; none when it has to be asked for anew.
async fn follow(
    session: &Session<'_>,
    order: &str,
    machine: &MachineView,
    scope: &Scope,
) -> Result<Option<CreateOutcome>, ProviderError> {
    let Some(order) = ordered::look(session, order).await? else { return Ok(None) };
    if let Some(failure) = ordered::failure(&order) {
        return Err(failure);
    }
    if order.state == OrderState::Running {
        return Ok(Some(goes_on(&order)));
    }
    // One that is gone again is made once more.
    let made = find::by_id(session, &order.vm, machine, scope).await?;
    Ok(made.map(|vm| CreateOutcome::Created(find::instance(&vm))))
}

/// The id is kept back: a machine that has one is never made again, and this VM may not come to be.
fn goes_on(order: &Order) -> CreateOutcome {
    let state = Progress::Creation { order: order.id.clone() }.state();
    CreateOutcome::InProgress { provider_id: None, state, retry_after: POLL }
}

/// The VM that an earlier attempt made from another version of the class, or the refusal if it is not ours.
async fn earlier(
    session: &Session<'_>,
    machine: &MachineView,
    scope: &Scope,
    refused: CallError,
) -> Result<Vm, ProviderError> {
    only_one(find::by_name(session, machine, scope).await?)?.ok_or_else(|| refused.into())
}
