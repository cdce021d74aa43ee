//! Performs a machine set's actions.

use kube::api::{Patch, PatchParams, PostParams};
use millwright_api::{
    Machine, MachineSet, MachineSetCondition, MachineSetStatus, ObjectView, controller_reference, merge_patch,
};
use millwright_decide::machineset::{FailedStep, SetAction, SetFailure, SetMarks, TemplatePatch};
use serde_json::{Value, json};

use super::ExecuteError;
use super::machine::delete_machine;
use super::presence::{self, Presence};
use crate::Fleet;
use crate::event_sorts::{
    MACHINE_CREATED, MACHINE_DELETED, MACHINE_NOT_CREATED, MACHINE_NOT_DELETED, SET_FROZEN, SET_UNFROZEN,
};

/// Performs one action. `set` is the state that the decision saw.
pub(crate) async fn machine_set(
    fleet: &Fleet,
    set: &MachineSet,
    action: &SetAction,
) -> Result<(), ExecuteError> {
    match action {
        SetAction::SetFinalizers(list) => {
            let body = json!({"metadata": {"resourceVersion": set.resource_version(), "finalizers": list}});
            patch_set(fleet, set.name(), &body).await
        }
        SetAction::AdoptMachine { name } => {
            if presence::of(&fleet.sets(), set, "machineset").await? == Presence::Lost {
                return Ok(());
            }
            patch_machine(fleet, name, |machine| {
                let mut owners = machine.metadata.owner_references.clone().unwrap_or_default();
                owners.push(controller_reference(set));
                Some(json!({"metadata": {"uid": machine.uid(), "resourceVersion": machine.resource_version(), "ownerReferences": owners}}))
            })
            .await
        }
        SetAction::ReleaseMachine { name } => {
            patch_machine(fleet, name, |machine| {
                let owners: Vec<_> =
                    machine.metadata.owner_references.iter().flatten().filter(|owner| owner.uid != set.uid()).collect();
                Some(json!({"metadata": {"uid": machine.uid(), "resourceVersion": machine.resource_version(), "ownerReferences": owners}}))
            })
            .await
        }
        SetAction::CreateMachine(machine) => create(fleet, set, machine).await,
        SetAction::DeleteMachine { name, uid } => {
            let done = delete_machine(fleet, name, uid).await;
            match &done {
                Ok(()) => {
                    works_again(fleet, set);
                    fleet.event(set, &MACHINE_DELETED, format!("Deleted machine: {name}"));
                }
                Err(error) => {
                    remember_failure(fleet, set, FailedStep::Delete, error.to_string());
                    fleet.event(set, &MACHINE_NOT_DELETED, format!("Error deleting: {error}"));
                }
            }
            done
        }
        SetAction::UpdateMachine(patch) => update(fleet, patch).await,
        SetAction::AnnotateMachine { name, key, value } => {
            // With the resource version: a user may just have said something else.
            patch_machine(fleet, name, |machine| {
                Some(json!({"metadata": {"uid": machine.uid(), "resourceVersion": machine.resource_version(), "annotations": {*key: value}}}))
            })
            .await
        }
        SetAction::MarkSet(marks) => {
            let SetMarks { labels, annotations } = marks;
            let body =
                json!({"metadata": {"uid": set.uid(), "labels": labels, "annotations": annotations}});
            patch_set(fleet, set.name(), &body).await
        }
        SetAction::Freeze(wanted) => {
            change_freeze(fleet, set, wanted).await?;
            let message = frozen(wanted).map(|condition| condition.message.clone()).unwrap_or_default();
            fleet.event(set, &SET_FROZEN, message);
            Ok(())
        }
        SetAction::Unfreeze(wanted) => {
            change_freeze(fleet, set, wanted).await?;
            let (name, count) = (set.name(), wanted.fully_labeled_replicas);
            let message = format!("MachineSet {name} is no longer frozen: it has {count} machines");
            fleet.event(set, &SET_UNFROZEN, message);
            Ok(())
        }
        SetAction::PatchStatus(wanted) => patch_status(fleet, set, wanted).await,
    }
}

/// Writes a status with which a freeze begins or ends. No answer does not mean no write, and the next look would find
/// nothing left to tell: then the API server is asked what it has.
async fn change_freeze(
    fleet: &Fleet,
    set: &MachineSet,
    wanted: &MachineSetStatus,
) -> Result<(), ExecuteError> {
    let done = patch_status(fleet, set, wanted).await;
    if matches!(&done, Err(error) if !error.is_refusal())
        && let Ok(Some(found)) = fleet.sets().get_opt(set.name()).await
        && found.uid() == set.uid()
        && frozen(&found.status).is_some() == frozen(wanted).is_some()
    {
        fleet.update(|index| index.apply_set(found));
        return Ok(());
    }
    done
}

fn frozen(status: &MachineSetStatus) -> Option<&MachineSetCondition> {
    status.conditions.iter().find(|condition| condition.type_ == "Frozen" && condition.is_true())
}

async fn patch_status(
    fleet: &Fleet,
    set: &MachineSet,
    wanted: &MachineSetStatus,
) -> Result<(), ExecuteError> {
    let (Ok(before), Ok(after)) = (serde_json::to_value(&set.status), serde_json::to_value(wanted)) else {
        return Ok(());
    };
    let Some(change) = merge_patch(&before, &after) else { return Ok(()) };
    let body = json!({ "metadata": { "uid": set.uid() }, "status": change });
    let written = fleet
        .sets()
        .patch_status(set.name(), &PatchParams::default(), &Patch::Merge(&body))
        .await
        .map_err(|source| ExecuteError::new("patch", "machineset", set.name(), source))?;
    let now = fleet.now();
    fleet.memories.lock().sets.entry(set.uid().to_owned()).or_default().status_written_at = Some(now);
    fleet.update(|index| index.apply_set(written));
    Ok(())
}

/// Writes a set and takes the answer into the index.
pub(super) async fn patch_set(fleet: &Fleet, name: &str, body: &Value) -> Result<(), ExecuteError> {
    let written = fleet
        .sets()
        .patch(name, &PatchParams::default(), &Patch::Merge(body))
        .await
        .map_err(|source| ExecuteError::new("patch", "machineset", name, source))?;
    fleet.update(|index| index.apply_set(written));
    Ok(())
}

async fn create(fleet: &Fleet, set: &MachineSet, machine: &Machine) -> Result<(), ExecuteError> {
    let name = machine.name();
    let api = fleet.machines();
    let mut answer = api
        .create(&PostParams::default(), machine)
        .await
        .map_err(|source| ExecuteError::new("create", "machine", name, source));
    // No answer does not mean no machine: ask, before a second one is made under another name.
    if matches!(&answer, Err(error) if !error.is_refusal())
        && let Ok(Some(found)) = api.get_opt(name).await
    {
        answer = Ok(found);
    }
    match answer {
        Ok(created) => {
            fleet.update(|index| index.apply_machine(created));
            works_again(fleet, set);
            fleet.event(set, &MACHINE_CREATED, format!("Created Machine: {name}"));
            Ok(())
        }
        Err(error) => {
            // The name is a new one at each try: with it, what never changes would be news each time.
            let message = error.to_string().replace(name, &format!("{}-…", set.name()));
            fleet.event(set, &MACHINE_NOT_CREATED, format!("Error creating: {message}"));
            remember_failure(fleet, set, FailedStep::Create, message);
            Err(error)
        }
    }
}

/// Writes a machine and takes the answer into the index; nothing when it is gone, or `body` has nothing to say to it.
pub(super) async fn patch_machine(
    fleet: &Fleet,
    name: &str,
    body: impl FnOnce(&Machine) -> Option<Value>,
) -> Result<(), ExecuteError> {
    let Some(machine) = fleet.with_index(|index| index.machine(name).cloned()) else { return Ok(()) };
    let Some(body) = body(&machine) else { return Ok(()) };
    let written = fleet
        .machines()
        .patch(name, &PatchParams::default(), &Patch::Merge(&body))
        .await
        .map_err(|source| ExecuteError::new("patch", "machine", name, source))?;
    fleet.update(|index| index.apply_machine(written));
    Ok(())
}

async fn update(fleet: &Fleet, patch: &TemplatePatch) -> Result<(), ExecuteError> {
    patch_machine(fleet, &patch.name, |machine| {
        let mut wanted = machine.spec.clone();
        wanted.node_template = patch.node_template.clone();
        wanted.configuration = patch.configuration.clone();
        wanted.class = patch.class.clone();
        let spec = |spec| serde_json::to_value(spec).unwrap_or_default();
        let change = merge_patch(&spec(&machine.spec), &spec(&wanted))?;
        Some(json!({ "metadata": { "uid": machine.uid() }, "spec": change }))
    })
    .await
}

/// Forgets what failed when something works: a set never creates and deletes in one pass, so what failed before is not
/// wanted any more.
fn works_again(fleet: &Fleet, set: &MachineSet) {
    let mut memories = fleet.memories.lock();
    if memories.sets.entry(set.uid().to_owned()).or_default().failure.take().is_some() {
        fleet.parts.queues.sets.add(set.name().to_owned());
    }
}

/// Remembers what failed, for the set's condition and its back-off.
fn remember_failure(fleet: &Fleet, set: &MachineSet, step: FailedStep, message: String) {
    let now = fleet.now();
    let mut memories = fleet.memories.lock();
    let memory = memories.sets.entry(set.uid().to_owned()).or_default();
    memory.failure = Some(SetFailure::after(memory.failure.as_ref(), step, message, now));
}
