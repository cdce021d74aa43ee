//! Performs a machine's actions at the control cluster.

use std::sync::Arc;

use kube::api::{DeleteParams, Patch, PatchParams, Preconditions};
use millwright_api::{
    Machine, MachinePhase, MachineStatus, ObjectView, OperationState, OperationType, merge_patch,
};
use millwright_decide::machine::{Additions, Cordon, MachineAction, MachinePatch};
use serde_json::{Value, json};

use super::{
    ExecuteError, bootstrap_token, cloud, drain, milestones, node, node_status, vm_status, volume_attachments,
};
use crate::Fleet;
use crate::client::says_gone;
use crate::event_sorts::{CREATION_FAILED, DELETION_FAILED, NOT_UNDERSTOOD, OPERATION_FAILED, UNHEALTHY};

/// Performs one action. `machine` is the state that the decision saw.
pub(crate) async fn machine(
    fleet: &Arc<Fleet>,
    machine: &Arc<Machine>,
    action: &MachineAction,
) -> Result<(), ExecuteError> {
    match action {
        MachineAction::PatchMachine(patch) => patch_machine(fleet, machine, patch).await,
        MachineAction::PatchStatus(status) => patch_status(fleet, machine, status).await,
        MachineAction::CreateVm => {
            cloud::create_vm(fleet, machine).await;
            Ok(())
        }
        MachineAction::InitializeVm => {
            cloud::initialize_vm(fleet, machine).await;
            Ok(())
        }
        MachineAction::FindVm => {
            vm_status::find_vm(fleet, machine).await;
            Ok(())
        }
        MachineAction::DeleteVm => {
            cloud::delete_vm(fleet, machine).await;
            Ok(())
        }
        MachineAction::DeleteMachine => delete_machine(fleet, machine.name(), machine.uid()).await,
        MachineAction::RenewBootstrapToken => bootstrap_token::renew(fleet, machine).await,
        MachineAction::DeleteBootstrapToken => bootstrap_token::delete(fleet, machine).await,
        MachineAction::ListPods { node } => drain::list_pods(fleet, machine, node).await,
        MachineAction::EvictPod(pod) => {
            drain::evict(fleet, machine, pod).await;
            Ok(())
        }
        MachineAction::DeletePod(pod) => {
            drain::delete(fleet, machine, pod).await;
            Ok(())
        }
        MachineAction::PatchNode(patch) => {
            node::patch(fleet, machine, patch).await?;
            if patch.cordon == Some(Cordon::On) {
                drain::cordoned(fleet, machine);
            }
            Ok(())
        }
        MachineAction::PatchNodeStatus(patch) => node_status::patch(fleet, machine, patch).await,
        MachineAction::DeleteVolumeAttachment { name, uid } => {
            volume_attachments::delete(fleet, name, uid).await
        }
        MachineAction::ReportMisuse { message } => {
            report_misuse(fleet, machine, message);
            Ok(())
        }
        MachineAction::DeleteNode { name } => node::delete(fleet, machine, name).await,
    }
}

async fn patch_machine(fleet: &Fleet, machine: &Machine, patch: &MachinePatch) -> Result<(), ExecuteError> {
    // A machine that was made anew under the same name must not inherit this one's VM.
    let mut metadata = json!({ "uid": machine.uid() });
    if !patch.labels.is_empty() {
        metadata["labels"] = json!(patch.labels);
    }
    for (key, value) in &patch.annotations {
        metadata["annotations"][key] = json!(value);
    }
    for key in &patch.dropped_annotations {
        metadata["annotations"][key] = Value::Null;
    }
    if let Some(finalizers) = &patch.finalizers {
        metadata["finalizers"] = json!(finalizers);
    }
    if patch.needs_lock() {
        metadata["resourceVersion"] = json!(machine.resource_version());
    }
    let mut body = json!({ "metadata": metadata });
    if let Some(id) = &patch.provider_id {
        body["spec"] = json!({ "providerID": id });
    }
    send(fleet, machine, body, Subresource::None).await.map(drop)
}

async fn patch_status(fleet: &Fleet, machine: &Machine, wanted: &MachineStatus) -> Result<(), ExecuteError> {
    // Both are plain data of ours, which always serialise.
    let (Ok(before), Ok(after)) = (serde_json::to_value(&machine.status), serde_json::to_value(wanted))
    else {
        return Ok(());
    };
    match merge_patch(&before, &after) {
        None => Ok(()),
        Some(change) => {
            let Some(version) = newest_version(fleet, machine)? else { return Ok(()) };
            let body = json!({ "metadata": { "resourceVersion": version }, "status": change });
            let written = send(fleet, machine, body, Subresource::Status).await?;
            if let Some(written) = written {
                let mut memories = fleet.memories.lock();
                let memory = memories.machines.entry(machine.uid().to_owned()).or_default();
                memory.additions = Additions::seen(wanted, &written);
            }
            tell(fleet, machine, wanted);
            milestones::written(fleet, machine, wanted);
            Ok(())
        }
    }
}

/// The version of the machine as it is known now, our own last write included; `None` when it is gone. A status is written
/// to this version only: an API server ignores a UID there, and a leader that slept must not undo what its successor wrote.
/// For the same reason nothing is written over a status that is not the one that was decided about.
fn newest_version(fleet: &Fleet, machine: &Machine) -> Result<Option<String>, ExecuteError> {
    fleet.with_index(|index| {
        let name = machine.name();
        match index.machine(name).filter(|known| known.uid() == machine.uid()) {
            None => Ok(None),
            Some(known) if known.status == machine.status => Ok(Some(known.resource_version().to_owned())),
            Some(_) => Err(ExecuteError::overtaken("patch", "machine", name)),
        }
    })
}

/// Tells once what the status now says: its phase to the log, and what is wrong to users. Good news costs
/// no event: it would double the writes of a birth.
fn tell(fleet: &Fleet, machine: &Machine, wanted: &MachineStatus) {
    let (before, after) = (&machine.status.last_operation, &wanted.last_operation);
    let (old, new) = (&machine.status.current_status.phase, &wanted.current_status.phase);
    if old != new {
        tracing::info!(machine = machine.name(), from = %old, to = %new, "{}", after.description);
    }
    let is_trouble =
        after.state == OperationState::Failed || wanted.current_status.phase == MachinePhase::Unknown;
    if !is_trouble || after.says_the_same_as(before) {
        return;
    }
    let sort = match after.type_ {
        OperationType::Create => &CREATION_FAILED,
        OperationType::Delete => &DELETION_FAILED,
        OperationType::HealthCheck => &UNHEALTHY,
        _ => &OPERATION_FAILED,
    };
    fleet.event(machine, sort, after.description.clone());
}

/// Tells users once; told again after a restart.
fn report_misuse(fleet: &Fleet, machine: &Machine, message: &str) {
    let mut memories = fleet.memories.lock();
    memories.machines.entry(machine.uid().to_owned()).or_default().misuse_reported = Some(message.to_owned());
    drop(memories);
    tracing::warn!(machine = machine.name(), "{message}");
    fleet.event(machine, &NOT_UNDERSTOOD, message.to_owned());
}

enum Subresource {
    None,
    Status,
}

/// Sends a patch and takes the answer into the index; the status that the API server kept, `None` when the machine is gone.
async fn send(
    fleet: &Fleet,
    machine: &Machine,
    body: Value,
    part: Subresource,
) -> Result<Option<MachineStatus>, ExecuteError> {
    let name = machine.name();
    let (api, params, patch) = (fleet.machines(), PatchParams::default(), Patch::Merge(&body));
    let answer = match part {
        Subresource::None => api.patch(name, &params, &patch).await,
        Subresource::Status => api.patch_status(name, &params, &patch).await,
    };
    match answer {
        Ok(written) => {
            let is_gone =
                written.is_deleting() && written.metadata.finalizers.iter().flatten().next().is_none();
            if is_gone {
                milestones::gone(fleet, &written);
                forget(fleet, name, written.uid());
                return Ok(None);
            }
            let kept = written.status.clone();
            fleet.update(|index| index.apply_machine(written));
            Ok(Some(kept))
        }
        Err(kube::Error::Api(status)) if says_gone(&status, name) => {
            forget(fleet, name, machine.uid());
            Ok(None)
        }
        Err(source) => Err(ExecuteError::new("patch", "machine", name, source)),
    }
}

/// Asks for the deletion of a machine; one of that name with another UID stays.
pub(super) async fn delete_machine(fleet: &Fleet, name: &str, uid: &str) -> Result<(), ExecuteError> {
    let precondition = Preconditions { uid: Some(uid.to_owned()), resource_version: None };
    match fleet.machines().delete(name, &DeleteParams::default().preconditions(precondition)).await {
        Ok(answer) => {
            match answer.left() {
                Some(deleting) if deleting.metadata.finalizers.iter().flatten().next().is_some() => {
                    fleet.update(|index| index.apply_machine(deleting));
                }
                _ => forget(fleet, name, uid),
            }
            Ok(())
        }
        Err(kube::Error::Api(status)) if says_gone(&status, name) => {
            forget(fleet, name, uid);
            Ok(())
        }
        Err(source) => Err(ExecuteError::new("delete", "machine", name, source)),
    }
}

fn forget(fleet: &Fleet, name: &str, uid: &str) {
    fleet.update(|index| index.forget_machine(name, uid));
    fleet.memories.lock().forget(uid);
}
