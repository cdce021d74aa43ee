//! Calls the cloud for one machine, and notes the answer in the fleet's memory, where the next decision finds it.

use millwright_api::{Machine, MachineCode, ObjectView};
use millwright_bootstrap::Template;
use millwright_decide::TargetCluster;
use millwright_decide::machine::{BootstrapToken, CallFailure, CloudOperation, VmKnowledge};
use millwright_provider::{CreateOutcome, DeleteOutcome, DeleteRequest, ProviderError, UserData};
use tokio::time::timeout_at;

use super::bootstrap_token;
use super::vm_request::{Purpose, VmRequest, forget_credentials, vm_request};
use crate::Fleet;

pub(super) async fn create_vm(fleet: &Fleet, machine: &Machine) {
    let answer = match vm_request(fleet, machine, Purpose::Birth).await {
        Ok(request) => match user_data(fleet, machine, &request).await {
            Ok(user_data) => {
                let call = request.provider.create(request.target(), &user_data);
                in_time(&request, call).await
            }
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    };
    let vm = answer.map(|outcome| match outcome {
        CreateOutcome::Created(instance) => VmKnowledge::Present(instance),
        CreateOutcome::InProgress { provider_id, state, retry_after } => VmKnowledge::Creating {
            provider_id,
            state: state.as_str().to_owned(),
            ask_at: fleet.now().checked_add(retry_after).unwrap_or_else(|_| fleet.now()),
        },
    });
    note(fleet, machine, CloudOperation::Create, vm);
}

pub(super) async fn initialize_vm(fleet: &Fleet, machine: &Machine) {
    let answer = match vm_request(fleet, machine, Purpose::Care).await {
        Ok(request) => in_time(&request, request.provider.initialize(request.target())).await,
        Err(error) => Err(error),
    };
    let known = fleet.memories.lock().machines.get(machine.uid()).map(|memory| memory.vm.clone());
    let vm = match (answer, known) {
        (Ok(instance), _) => Ok(VmKnowledge::Present(instance)),
        // A cloud without steps after creation has done them.
        (Err(error), Some(VmKnowledge::Present(mut instance)))
            if error.code == MachineCode::Unimplemented =>
        {
            instance.initialization = millwright_provider::Initialization::Done;
            Ok(VmKnowledge::Present(instance))
        }
        (Err(error), _) => Err(error),
    };
    note(fleet, machine, CloudOperation::Initialize, vm);
}

pub(super) async fn delete_vm(fleet: &Fleet, machine: &Machine) {
    let answer = match vm_request(fleet, machine, Purpose::Care).await {
        Ok(request) => {
            let call = request.provider.delete(DeleteRequest { target: request.target(), keep_volumes: &[] });
            in_time(&request, call).await
        }
        Err(error) => Err(error),
    };
    let vm = match answer {
        Ok(DeleteOutcome::Gone) => Ok(VmKnowledge::Gone),
        Ok(DeleteOutcome::InProgress { state, retry_after }) => Ok(VmKnowledge::Deleting {
            state: state.as_str().to_owned(),
            ask_at: fleet.now().checked_add(retry_after).unwrap_or_else(|_| fleet.now()),
        }),
        Err(error) if error.code == MachineCode::NotFound => Ok(VmKnowledge::Gone),
        Err(error) => Err(error),
    };
    note(fleet, machine, CloudOperation::Delete, vm);
}

/// Awaits a call until its deadline. A provider keeps it itself; this is for one that does not.
async fn in_time<T>(
    request: &VmRequest,
    call: impl Future<Output = Result<T, ProviderError>>,
) -> Result<T, ProviderError> {
    timeout_at(request.deadline.instant().into(), call).await.unwrap_or_else(|_| {
        Err(ProviderError::new(MachineCode::DeadlineExceeded, "the cloud did not answer in time"))
    })
}

/// The machine's final user data; with a bootstrap token of its own where the text asks for one.
async fn user_data(fleet: &Fleet, machine: &Machine, request: &VmRequest) -> Result<UserData, ProviderError> {
    let refused = |message: String| ProviderError::new(MachineCode::InvalidArgument, message);
    let key = UserData::SECRET_KEY;
    let class = &machine.spec.class.name;
    let bytes = request
        .credentials
        .bytes(key)
        .ok_or_else(|| refused(format!("the Secret of MachineClass {class:?} has no key {key}; add it")))?;
    let text = std::str::from_utf8(bytes).map_err(|_| {
        refused(format!("key {key} in the Secret of MachineClass {class:?} is not UTF-8 text"))
    })?;
    let template = Template::new(text);
    let wants_token = fleet.parts.settings.target == TargetCluster::Present && template.wants_token();
    let token = if wants_token {
        Some(bootstrap_token::ensure(fleet, machine).await?)
    } else {
        bootstrap_token::remember(fleet, machine, BootstrapToken::NotNeeded);
        None
    };
    Ok(UserData::new(template.fill(machine.name(), token.as_ref())))
}

fn note(
    fleet: &Fleet,
    machine: &Machine,
    operation: CloudOperation,
    answer: Result<VmKnowledge, ProviderError>,
) {
    let now = fleet.now();
    {
        let mut memories = fleet.memories.lock();
        let memory = memories.machines.entry(machine.uid().to_owned()).or_default();
        match answer {
            Ok(vm) => memory.answered(vm),
            Err(error) => {
                tracing::warn!(?operation, %error, "a call to the cloud failed");
                // The user may mend the Secret the next moment; the retry must see that.
                if matches!(error.code, MachineCode::Unauthenticated | MachineCode::InvalidArgument) {
                    forget_credentials(fleet, &machine.spec.class.name);
                }
                memory.failed(CallFailure {
                    operation,
                    code: error.code,
                    message: error.message,
                    attempts: 1,
                    at: now,
                    retry_after: error.retry_after,
                });
            }
        }
    }
    fleet.parts.queues.machines.add(machine.name().to_owned());
}
