//! The VM itself: sent once, then watched in the shared list.

use http::{Method, StatusCode};
use millwright_api::MachineCode;
use millwright_cloud_http::{CloudError, Urgency};
use millwright_provider::{CreateOutcome, ProviderError, UserData};

use super::{Birth, ended, in_progress, refused, taken};
use crate::arm::{COMPUTE, Kind};
use crate::errors::{self, CLOUD, Said, TABLE};
use crate::inventory::{self, Look};
use crate::progress::{Going, Step};
use crate::session::{Age, Class, Failure, Sent};
use crate::spec::PurchasePlan;
use crate::wire::{Operation, Progress, Vm};
use crate::{body, delete, names, ssh_key, status};

const OPERATION: &str = "virtualMachines.createOrUpdate";
/// The VM runs, only nobody in it reported: whether it joins is judged by its node.
const RUNS_ALL_THE_SAME: &str = "OSProvisioningTimedOut";

/// Sends it.
pub(super) async fn make(
    birth: &Birth<'_>,
    plan: Option<PurchasePlan>,
    user_data: &UserData,
) -> Result<CreateOutcome, ProviderError> {
    let Birth { session, spec, owner, uid } = birth;
    let name = owner.machine.name.as_str();
    let nic = names::nic(name, spec.home.nic_suffix);
    let throw_away_key = if spec.admin.keys.is_empty() { ssh_key::throw_away()? } else { String::new() };
    let wanted =
        body::Wanted { place: session.place(), name, uid, nic: &nic, plan, user_data, throw_away_key };
    let body = body::vm(spec, &wanted)?;
    let path = format!("{}?api-version={COMPUTE}", session.place().one(Kind::Vm, name));
    let sent = Sent {
        body: Some(body),
        if_none_match: true,
        ..Sent::new(OPERATION, Class::ComputeWrite, Urgency::Create, Method::PUT, path)
    };
    match session.send(sent).await {
        Ok(answer) => {
            let operation = answer.header("azure-asyncoperation").map(str::to_owned);
            let vm: Vm = answer.json().map_err(|error| session.unreadable(OPERATION, &error))?;
            if vm.properties.provisioning_state == Progress::Succeeded {
                return Ok(CreateOutcome::Created(status::instance(session, &spec.home, &vm)));
            }
            Ok(in_progress(Step::Vm, operation, answer.retry_after))
        }
        Err(Failure::Refused(error)) if is_there(&error) => earlier(birth, &error).await,
        Err(Failure::Refused(error)) => Err(refused::end(birth, &error).await),
        Err(Failure::Other(error)) => Err(error),
    }
}

/// Looks how far it is. `None` when there is none any more, so that it must be made anew.
pub(super) async fn watch(birth: &Birth<'_>, going: &Going) -> Result<Option<CreateOutcome>, ProviderError> {
    let Birth { session, owner, .. } = birth;
    let name = &owner.machine.name;
    let mut seen = inventory::named(&inventory::vms(session, Age::Recent).await?, name).cloned();
    if seen.is_none() {
        // The list may have begun before the VM.
        seen = inventory::named(&inventory::vms(session, Age::New).await?, name).cloned();
    }
    if let Some(vm) = seen {
        return judge(birth, &vm, going).await.map(Some);
    }
    match operation(birth, going).await? {
        // Whatever it failed with: nobody would send the VM again while the dead operation is remembered.
        Ending::Failed(error) => Err(ended(refused::end(birth, &error).await)),
        Ending::Open => Ok(Some(in_progress(Step::Vm, going.operation.clone(), None))),
        Ending::Unknown => match inventory::vm(session, name, Look::Plain).await? {
            Some(vm) => judge(birth, &vm, going).await.map(Some),
            None => Ok(None),
        },
    }
}

fn is_there(error: &CloudError) -> bool {
    error.http == StatusCode::PRECONDITION_FAILED
}

/// A VM of that name is there: one that an earlier attempt made, or somebody else's.
async fn earlier(birth: &Birth<'_>, refusal: &CloudError) -> Result<CreateOutcome, ProviderError> {
    match inventory::vm(birth.session, &birth.owner.machine.name, Look::Plain).await? {
        Some(vm) => judge(birth, &vm, &Going::default()).await,
        // It went meanwhile.
        None => Err(refusal.with_code(CLOUD, MachineCode::Aborted)),
    }
}

async fn judge(birth: &Birth<'_>, vm: &Vm, going: &Going) -> Result<CreateOutcome, ProviderError> {
    let Birth { session, spec, owner, .. } = birth;
    if !owner.owns(&vm.tags) {
        return Err(taken("VM", &vm.name, "belongs to somebody else"));
    }
    if !owner.fits(&vm.tags) {
        return Err(taken("VM", &vm.name, "belongs to another machine of that name"));
    }
    match vm.properties.provisioning_state {
        Progress::Succeeded => Ok(CreateOutcome::Created(status::instance(session, &spec.home, vm))),
        Progress::Going | Progress::Unknown => Ok(in_progress(Step::Vm, going.operation.clone(), None)),
        Progress::Deleting => {
            let message =
                format!("{CLOUD}: VM {} is being deleted; it is made anew when it is gone", vm.name);
            Err(ended(ProviderError::new(MachineCode::Aborted, message)))
        }
        Progress::Failed => failed(birth, vm, going).await,
    }
}

/// Azure took it, and could not do it. The VM stays as a failed one until it is deleted, and with it its parts.
async fn failed(birth: &Birth<'_>, vm: &Vm, going: &Going) -> Result<CreateOutcome, ProviderError> {
    let Birth { session, spec, owner, .. } = birth;
    let error = match operation(birth, going).await? {
        Ending::Failed(error) => error,
        Ending::Open | Ending::Unknown => match said_by_vm(birth, vm).await? {
            Some(error) => error,
            None => return Ok(CreateOutcome::Created(status::instance(session, &spec.home, vm))),
        },
    };
    if error.code.eq_ignore_ascii_case(RUNS_ALL_THE_SAME) {
        return Ok(CreateOutcome::Created(status::instance(session, &spec.home, vm)));
    }
    if let Err(left) = delete::send(session, &vm.name).await {
        tracing::warn!(machine = owner.machine.name, error = %left, "a VM that failed waits for the next try");
    }
    Err(ended(error.of(CLOUD, &TABLE)))
}

/// How an operation ended.
enum Ending {
    Failed(CloudError),
    Open,
    /// It went well, or nobody knows it any more.
    Unknown,
}

async fn operation(birth: &Birth<'_>, going: &Going) -> Result<Ending, ProviderError> {
    const LOOK: &str = "operations.get";
    let session = birth.session;
    // It was in the machine's status, where others may write: the token goes nowhere else.
    let path = going.operation.as_ref().and_then(|address| session.own_path(LOOK, address).ok());
    let Some(path) = path else { return Ok(Ending::Unknown) };
    let answer = match session
        .send(Sent::new(LOOK, Class::ComputeRead, Urgency::Poll, Method::GET, path))
        .await
    {
        Ok(answer) => answer,
        Err(Failure::Refused(error)) if error.http == StatusCode::NOT_FOUND => return Ok(Ending::Unknown),
        Err(failure) => return Err(failure.into()),
    };
    let document: Operation = answer.json().unwrap_or_default();
    Ok(match document.status {
        Progress::Failed => {
            let said = answer.json::<errors::Body>().ok().and_then(errors::Body::said);
            let said = said.unwrap_or_else(|| Said::new("", "Azure does not say why"));
            Ending::Failed(errors::failed_later(OPERATION, said, &session.account.redaction))
        }
        Progress::Going => Ending::Open,
        Progress::Succeeded | Progress::Deleting | Progress::Unknown => Ending::Unknown,
    })
}

/// The VM's own view of its end, `ProvisioningState/failed/CODE`: when the operation's address is lost. `None` when it runs: then what
/// failed was a later change, such as a volume that could not be attached, and it may have pods.
async fn said_by_vm(birth: &Birth<'_>, vm: &Vm) -> Result<Option<CloudError>, ProviderError> {
    const PREFIX: &str = "ProvisioningState/failed/";
    const RUNS: &str = "PowerState/running";
    let seen = inventory::vm(birth.session, &vm.name, Look::WithInstanceView).await?;
    let statuses = seen.and_then(|vm| vm.properties.instance_view).unwrap_or_default().statuses;
    if statuses.iter().any(|status| status.code.eq_ignore_ascii_case(RUNS)) {
        return Ok(None);
    }
    let said = statuses.into_iter().find_map(|status| {
        let code = status.code.strip_prefix(PREFIX)?.to_owned();
        Some(Said::new(code, status.message))
    });
    let said = said.unwrap_or_else(|| Said::new("", "the VM failed, and Azure does not say why any more"));
    Ok(Some(errors::failed_later(OPERATION, said, &birth.session.account.redaction)))
}
