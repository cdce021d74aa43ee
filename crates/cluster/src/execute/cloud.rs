//! Calls the cloud for one machine, and notes the answer in the fleet's memory, where the next decision finds it.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::{ClassRecord, Machine, MachineCode, ObjectView};
use millwright_bootstrap::Template;
use millwright_decide::TargetCluster;
use millwright_decide::machine::{BootstrapToken, CallFailure, CloudOperation, VmKnowledge};
use millwright_provider::{
    CreateOutcome, Deadline, DeleteOutcome, DeleteRequest, Heard, Initialization, Instance, ProviderError,
    UserData,
};
use tokio::time::timeout_at;

use super::vm_request::{Purpose, VmRequest, forget_credentials, vm_request};
use super::{bootstrap_token, milestones};
use crate::Fleet;
use crate::fleet::LEASE_PAUSE;
use crate::metrics::Milestone;

/// How soon a cloud is asked again at the earliest, and at the latest, whatever it says.
const ASK_EARLIEST: Duration = Duration::from_millis(100);
const ASK_LATEST: Duration = Duration::from_secs(600);

pub(super) async fn create_vm(fleet: &Fleet, machine: &Machine) {
    // It was made and recorded: what is left is to find it again. Should it be gone, another VM would have another id;
    // the machine is given up when its time is over, and its set makes a new one.
    if !machine.spec.provider_id.is_empty() {
        return find_vm(fleet, machine).await;
    }
    let answer = match vm_request(fleet, machine, Purpose::Birth).await {
        Ok(request) => match user_data(fleet, machine, &request).await {
            Ok(user_data) => {
                if lease_is_late(fleet, machine) {
                    return;
                }
                let is_first = remember_asking(fleet, machine, &request);
                let call = request.provider.create(request.target(), &user_data);
                let answer = in_time(request.deadline, call).await;
                if is_first
                    && let Err(refused) = &answer
                    && is_nowhere(&request, refused).await
                {
                    forget_asking(fleet, machine);
                }
                answer
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
            ask_at: ask_at(fleet, retry_after),
        },
    });
    let is_made = matches!(vm, Ok(VmKnowledge::Present(_)));
    note(fleet, machine, CloudOperation::Create, vm);
    if is_made {
        milestones::reached(fleet, machine, Milestone::Created);
    }
}

/// Whatever comes of it, there may be a VM from now on, and it is where this class says. Says whether none was asked for before, as far
/// as anybody knows.
fn remember_asking(fleet: &Fleet, machine: &Machine, request: &VmRequest) -> bool {
    let mut memories = fleet.memories.lock();
    let memory = memories.machines.entry(machine.uid().to_owned()).or_default();
    let is_first = memory.asked_with.is_none() && ClassRecord::on(machine).is_none();
    memory.asks_with(request.record());
    is_first
}

/// There was no connection to where the class says, or a creation and then a mere look were refused as what can never work,
/// whatever the state of the cloud: there is no such place, as when it was mistyped. A mended class must not wait for it.
async fn is_nowhere(request: &VmRequest, refused: &ProviderError) -> bool {
    if refused.heard == Heard::Never {
        return true;
    }
    if refused.code != MachineCode::InvalidArgument {
        return false;
    }
    let look = in_time(request.deadline, request.provider.status(request.target())).await;
    matches!(look, Err(error) if error.code == MachineCode::InvalidArgument)
}

fn forget_asking(fleet: &Fleet, machine: &Machine) {
    if let Some(memory) = fleet.memories.lock().machines.get_mut(machine.uid()) {
        memory.asked_nowhere();
    }
}

/// Looks up a VM that has an id.
async fn find_vm(fleet: &Fleet, machine: &Machine) {
    let answer = match vm_request(fleet, machine, Purpose::Care).await {
        Ok(request) => in_time(request.deadline, request.provider.status(request.target())).await,
        Err(error) => Err(error),
    };
    note(fleet, machine, CloudOperation::Create, answer.map(VmKnowledge::Present));
}

pub(super) async fn initialize_vm(fleet: &Fleet, machine: &Machine) {
    let answer = match vm_request(fleet, machine, Purpose::Care).await {
        Ok(_) if lease_is_late(fleet, machine) => return,
        Ok(request) => in_time(request.deadline, request.provider.initialize(request.target())).await,
        Err(error) => Err(error),
    };
    let known = fleet.memories.lock().machines.get(machine.uid()).map(|memory| memory.vm.clone());
    let vm = match (answer, known) {
        (Ok(instance), _) => finished(instance),
        // A cloud without steps after creation has done them.
        (Err(error), Some(VmKnowledge::Present(mut instance)))
            if error.code == MachineCode::Unimplemented =>
        {
            instance.initialization = Initialization::Done;
            Ok(VmKnowledge::Present(instance))
        }
        (Err(error), _) => Err(error),
    };
    let is_lost = matches!(&vm, Err(error) if error.code == MachineCode::NotFound);
    let is_done = vm.is_ok();
    note(fleet, machine, CloudOperation::Initialize, vm);
    if is_done {
        milestones::reached(fleet, machine, Milestone::Initialized);
    }
    // Asked for anew before anything else is done to it.
    if is_lost && let Some(memory) = fleet.memories.lock().machines.get_mut(machine.uid()) {
        memory.vm = VmKnowledge::NotAsked;
    }
}

pub(super) async fn delete_vm(fleet: &Fleet, machine: &Machine) {
    let request = match vm_request(fleet, machine, Purpose::Death).await {
        Ok(_) if lease_is_late(fleet, machine) => return,
        Ok(request) => request,
        Err(error) => return note(fleet, machine, CloudOperation::Delete, Err(error)),
    };
    let call = request.provider.delete(DeleteRequest { target: request.target(), keep_volumes: &[] });
    let vm = match in_time(request.deadline, call).await {
        Ok(DeleteOutcome::Gone) => Ok(VmKnowledge::Gone),
        Ok(DeleteOutcome::Unproven) => match request.departure(askings(fleet, machine.uid())) {
            Ok(departure) => {
                // Before it waits, so that the list's answer is the later one.
                note(fleet, machine, CloudOperation::Delete, Ok(VmKnowledge::Unproven));
                return fleet.departures.wait(departure);
            }
            Err(error) => Err(error),
        },
        Ok(DeleteOutcome::InProgress { state, retry_after }) => {
            Ok(VmKnowledge::Deleting { state: state.as_str().to_owned(), ask_at: ask_at(fleet, retry_after) })
        }
        Err(error) if error.code == MachineCode::NotFound => Ok(VmKnowledge::Gone),
        Err(error) => Err(error),
    };
    note(fleet, machine, CloudOperation::Delete, vm);
}

/// How often a VM was asked for, as far as this process knows.
pub(crate) fn askings(fleet: &Fleet, uid: &str) -> u64 {
    fleet.memories.lock().machines.get(uid).map_or(0, |memory| memory.askings)
}

/// A cloud that says it is done and shows that it is not is asked again like one that failed: with growing waits.
fn finished(instance: Instance) -> Result<VmKnowledge, ProviderError> {
    match instance.initialization {
        Initialization::Done => Ok(VmKnowledge::Present(instance)),
        Initialization::Missing { reason } => Err(ProviderError::new(
            MachineCode::Unavailable,
            format!("the steps after creation are not done yet: {reason}"),
        )),
    }
}

pub(crate) fn ask_at(fleet: &Fleet, wait: Duration) -> Timestamp {
    let now = fleet.now();
    now.checked_add(wait.clamp(ASK_EARLIEST, ASK_LATEST)).unwrap_or(now)
}

/// Gathering a request takes requests of its own, and meanwhile the lease may have gone. The machine is looked at again.
fn lease_is_late(fleet: &Fleet, machine: &Machine) -> bool {
    let is_late = !fleet.may_write();
    if is_late {
        fleet.parts.queues.machines.add_after(machine.name().to_owned(), LEASE_PAUSE);
    }
    is_late
}

/// Awaits a call until its deadline. A provider keeps it itself; this is for one that does not.
pub(crate) async fn in_time<T>(
    deadline: Deadline,
    call: impl Future<Output = Result<T, ProviderError>>,
) -> Result<T, ProviderError> {
    timeout_at(deadline.instant().into(), call).await.unwrap_or_else(|_| {
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

/// Remembers the cloud's answer, and wakes the machine.
pub(crate) fn note(
    fleet: &Fleet,
    machine: &Machine,
    operation: CloudOperation,
    answer: Result<VmKnowledge, ProviderError>,
) {
    let now = fleet.now();
    // Of several VMs at most one is the machine's: the others are for the collection of orphans.
    if matches!(&answer, Err(error) if error.code == MachineCode::OutOfRange) {
        fleet.orphan_nudge.notify_one();
    }
    // The user may mend the Secret the next moment; the retry must see that. Before the memory is locked: this
    // looks into the index, and whoever holds that waits for the memory.
    if let Err(error) = &answer
        && matches!(error.code, MachineCode::Unauthenticated | MachineCode::InvalidArgument)
    {
        forget_credentials(fleet, machine);
    }
    {
        let mut memories = fleet.memories.lock();
        let memory = memories.machines.entry(machine.uid().to_owned()).or_default();
        match answer {
            Ok(vm) => memory.answered(vm),
            Err(error) => {
                tracing::warn!(?operation, %error, "a call to the cloud failed");
                memory.failed(CallFailure {
                    operation,
                    code: error.code,
                    message: error.message,
                    attempts: 1,
                    at: now,
                    retry_after: error.retry_after,
                    state: error.state.map(|state| state.as_str().to_owned()),
                });
            }
        }
    }
    fleet.parts.queues.machines.add(machine.name().to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{FakeServer, fleet};
    use crate::leader::Leadership;
    use millwright_provider::Power;

    #[tokio::test(start_paused = true)]
    async fn a_cloud_that_asks_for_no_wait_or_an_endless_one_is_asked_soon_and_not_at_once() {
        let (fleet, _) = fleet(&FakeServer::default(), Leadership::undisputed());
        for (wait, asked) in [
            (Duration::ZERO, ASK_EARLIEST),
            (Duration::MAX, ASK_LATEST),
            (Duration::from_secs(5), Duration::from_secs(5)),
        ] {
            let left = ask_at(&fleet, wait).duration_since(fleet.now());
            assert_eq!(Duration::try_from(left).ok(), Some(asked), "{wait:?}");
        }
    }

    #[test]
    fn steps_after_creation_that_are_never_done_are_not_tried_without_a_pause() {
        let missing = Initialization::Missing { reason: "no address".into() };
        let instance = Instance {
            provider_id: "fake://1".into(),
            node_name: "m".into(),
            addresses: Vec::new(),
            power: Power::Running,
            initialization: missing,
        };
        let error = finished(instance.clone()).expect_err("a failure, which has a pause");
        assert_eq!(error.code, MachineCode::Unavailable);
        assert!(finished(Instance { initialization: Initialization::Done, ..instance }).is_ok());
    }
}
