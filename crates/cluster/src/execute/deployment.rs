//! Performs a machine deployment's actions.

use kube::api::{DeleteParams, Patch, PatchParams, PostParams, Preconditions};
use millwright_api::{MachineDeployment, MachineSet, ObjectView, controller_reference, merge_patch};
use millwright_decide::deployment::{
    DeploymentAction, DeploymentPatch, Lock, MachineMarks, MachineMove, RollbackOutcome, RollbackRequest,
    SetPatch, rolls_nothing,
};
use serde_json::{Value, json};

use super::machineset::{patch_machine, patch_set};
use super::presence::{self, Presence};
use super::{ExecuteError, node};
use crate::Fleet;
use crate::client::says_gone;
use crate::event_sorts::{
    ROLLBACK_REVISION_NOT_FOUND, ROLLBACK_TEMPLATE_UNCHANGED, ROLLED_BACK, SCALING_SET, SELECTING_ALL,
    SET_CREATE_ERROR, STRATEGY_NOT_SUPPORTED,
};

/// Performs one action. `deployment` is the state that the decision saw.
pub(crate) async fn machine_deployment(
    fleet: &Fleet,
    deployment: &MachineDeployment,
    action: &DeploymentAction,
) -> Result<(), ExecuteError> {
    match action {
        DeploymentAction::SetFinalizers(list) => {
            let body =
                json!({"metadata": {"resourceVersion": deployment.resource_version(), "finalizers": list}});
            patch_deployment(fleet, deployment, &body).await.map(|_| ())
        }
        DeploymentAction::PatchDeployment(patch) => change(fleet, deployment, patch).await,
        DeploymentAction::ReleaseSet { name } => {
            let Some(set) = fleet.with_index(|index| index.set(name).cloned()) else { return Ok(()) };
            let owners = set.metadata.owner_references.iter().flatten();
            let owners: Vec<_> = owners.filter(|owner| owner.uid != deployment.uid()).collect();
            let body = json!({"metadata": {"uid": set.uid(), "resourceVersion": set.resource_version(), "ownerReferences": owners}});
            patch_set(fleet, name, &body).await
        }
        DeploymentAction::PatchMachine(marks) => mark_machine(fleet, marks).await,
        DeploymentAction::MoveMachine(change) => move_machine(fleet, change).await,
        DeploymentAction::PatchNode { machine, patch } => {
            match fleet.with_index(|index| index.machine(machine).cloned()) {
                Some(machine) => node::patch(fleet, &machine, patch).await,
                None => Ok(()),
            }
        }
        DeploymentAction::CreateSet(set) => create_set(fleet, deployment, set).await,
        DeploymentAction::AdoptSet { name } => {
            if presence::of(&fleet.deployments(), deployment, "machinedeployment").await? == Presence::Lost {
                return Ok(());
            }
            let Some(set) = fleet.with_index(|index| index.set(name).cloned()) else { return Ok(()) };
            let mut owners = set.metadata.owner_references.clone().unwrap_or_default();
            owners.push(controller_reference(deployment));
            let body = json!({"metadata": {"uid": set.uid(), "resourceVersion": set.resource_version(), "ownerReferences": owners}});
            patch_set(fleet, name, &body).await
        }
        DeploymentAction::PatchSet(patch) => update_set(fleet, deployment, patch).await,
        DeploymentAction::DeleteSet { name, uid } => {
            let precondition = Preconditions { uid: Some(uid.clone()), resource_version: None };
            match fleet.sets().delete(name, &DeleteParams::default().preconditions(precondition)).await {
                Ok(answer) => {
                    if let Some(deleting) = answer.left() {
                        fleet.update(|index| index.apply_set(deleting));
                    }
                    Ok(())
                }
                Err(kube::Error::Api(status)) if says_gone(&status, name) => Ok(()),
                Err(source) => Err(ExecuteError::new("delete", "machineset", name, source)),
            }
        }
        DeploymentAction::PatchStatus(wanted) => {
            let (Ok(before), Ok(after)) =
                (serde_json::to_value(&deployment.status), serde_json::to_value(wanted))
            else {
                return Ok(());
            };
            let Some(change) = merge_patch(&before, &after) else { return Ok(()) };
            let body = json!({ "status": change });
            let written = fleet
                .deployments()
                .patch_status(deployment.name(), &PatchParams::default(), &Patch::Merge(&body))
                .await
                .map_err(|source| {
                    ExecuteError::new("patch", "machinedeployment", deployment.name(), source)
                })?;
            {
                let mut memories = fleet.memories.lock();
                let memory = memories.deployments.entry(deployment.uid().to_owned()).or_default();
                memory.status_written_at = Some(fleet.now());
                if wanted.collision_count != deployment.status.collision_count {
                    memory.name_taken = None;
                }
            }
            fleet.update(|index| index.apply_deployment(written));
            Ok(())
        }
        DeploymentAction::WarnSelectingAll => {
            let message =
                "This deployment is selecting all machines. A non-empty selector is required.".to_owned();
            fleet.event(deployment, &SELECTING_ALL, message);
            Ok(())
        }
        DeploymentAction::WarnStrategy { strategy } => {
            let why = match strategy.as_str() {
                "InPlaceUpdate" => "needs nodes, and this controller runs without a target cluster",
                _ => "is not known",
            };
            let message = format!(
                "spec.strategy.type {strategy:?} {why}, so the new template is not rolled out. Use RollingUpdate or Recreate."
            );
            fleet.event(deployment, &STRATEGY_NOT_SUPPORTED, message);
            Ok(())
        }
    }
}

/// Changes the deployment itself.
async fn change(
    fleet: &Fleet,
    deployment: &MachineDeployment,
    patch: &DeploymentPatch,
) -> Result<(), ExecuteError> {
    let DeploymentPatch { labels, annotations, template, rollback, lock } = patch;
    let mut body = json!({ "metadata": { "uid": deployment.uid() } });
    if *lock == Lock::Version {
        body["metadata"]["resourceVersion"] = json!(deployment.resource_version());
    }
    if !labels.is_empty() {
        body["metadata"]["labels"] = json!(labels);
    }
    if !annotations.is_empty() {
        body["metadata"]["annotations"] = json!(annotations);
    }
    if let Some(template) = template {
        let value = |template| serde_json::to_value(template).unwrap_or_default();
        if let Some(difference) = merge_patch(&value(&deployment.spec.template), &value(&**template)) {
            body["spec"]["template"] = difference;
        }
    }
    if *rollback != RollbackRequest::Kept {
        body["spec"]["rollbackTo"] = Value::Null;
    }
    let written = patch_deployment(fleet, deployment, &body).await?;
    if let (Written::Yes, RollbackRequest::Done(outcome)) = (written, rollback) {
        tell_rollback(fleet, deployment, *outcome);
    }
    Ok(())
}

fn tell_rollback(fleet: &Fleet, deployment: &MachineDeployment, outcome: RollbackOutcome) {
    let name = deployment.name();
    let (sort, message) = match outcome {
        RollbackOutcome::RolledBack { revision } => {
            (&ROLLED_BACK, format!("Rolled back deployment {name:?} to revision {revision}"))
        }
        RollbackOutcome::RevisionNotFound { revision } => (
            &ROLLBACK_REVISION_NOT_FOUND,
            format!(
                "Unable to find the revision to rollback to: no machine set of {name:?} has revision {revision}"
            ),
        ),
        RollbackOutcome::NoEarlierRevision => (
            &ROLLBACK_REVISION_NOT_FOUND,
            format!("Unable to find last revision: {name:?} has no earlier machine set to go back to"),
        ),
        RollbackOutcome::TemplateUnchanged { revision } => (
            &ROLLBACK_TEMPLATE_UNCHANGED,
            format!(
                "Revision {revision} has the same template as deployment {name:?}, nothing is rolled back"
            ),
        ),
    };
    fleet.event(deployment, sort, message);
}

/// Writes labels and annotations of a machine.
async fn mark_machine(fleet: &Fleet, marks: &MachineMarks) -> Result<(), ExecuteError> {
    let MachineMarks { name, uid, labels, annotations } = marks;
    patch_machine(fleet, name, |machine| {
        (machine.uid() == uid)
            .then(|| json!({"metadata": {"uid": uid, "labels": labels, "annotations": annotations}}))
    })
    .await
}

/// Gives a machine to another set: owner and labels in one write, so that no selector ever sees half of it.
async fn move_machine(fleet: &Fleet, change: &MachineMove) -> Result<(), ExecuteError> {
    let MachineMove { name, uid, from, to, labels } = change;
    let Some(set) = fleet.with_index(|index| index.set(to).cloned()) else { return Ok(()) };
    patch_machine(fleet, name, |machine| {
        let others = machine.metadata.owner_references.iter().flatten().filter(|owner| owner.uid != *from);
        let owners: Vec<_> = others.cloned().chain([controller_reference(&*set)]).collect();
        (machine.uid() == uid).then(|| {
            json!({"metadata": {"uid": uid, "resourceVersion": machine.resource_version(), "ownerReferences": owners, "labels": labels}})
        })
    })
    .await
}

/// Whether there was still something to write to.
enum Written {
    Yes,
    Gone,
}

async fn patch_deployment(
    fleet: &Fleet,
    deployment: &MachineDeployment,
    body: &Value,
) -> Result<Written, ExecuteError> {
    match fleet.deployments().patch(deployment.name(), &PatchParams::default(), &Patch::Merge(body)).await {
        Ok(written) => {
            fleet.update(|index| index.apply_deployment(written));
            Ok(Written::Yes)
        }
        Err(kube::Error::Api(status)) if says_gone(&status, deployment.name()) => Ok(Written::Gone),
        Err(source) => Err(ExecuteError::new("patch", "machinedeployment", deployment.name(), source)),
    }
}

/// Creates a set. A name that is taken by a set of ours with the same template is that set; any other
/// makes the deployment count a collision, and the next name differs.
async fn create_set(
    fleet: &Fleet,
    deployment: &MachineDeployment,
    set: &MachineSet,
) -> Result<(), ExecuteError> {
    let name = set.name();
    let answer = fleet.sets().create(&PostParams::default(), set).await;
    let answer = answer.map_err(|source| ExecuteError::new("create", "machineset", name, source));
    match answer {
        Ok(created) => {
            remember(fleet, deployment, None, None);
            let replicas = created.spec.replicas;
            fleet.update(|index| index.apply_set(created));
            if replicas > 0 {
                scaled(fleet, deployment, name, 0, replicas);
            }
            Ok(())
        }
        Err(error) if error.is_already_exists() => {
            let found = fleet
                .sets()
                .get_opt(name)
                .await
                .map_err(|source| ExecuteError::new("get", "machineset", name, source))?;
            let is_ours = found.as_ref().is_some_and(|found| {
                millwright_api::controller_of(&found.metadata)
                    .is_some_and(|owner| owner.uid == deployment.uid())
                    && rolls_nothing(&found.spec.template, &set.spec.template)
            });
            if let Some(found) = found {
                fleet.update(|index| index.apply_set(found));
            }
            if !is_ours {
                remember(fleet, deployment, Some(name.to_owned()), None);
                fleet.parts.queues.deployments.add(deployment.name().to_owned());
            }
            Ok(())
        }
        Err(error) => {
            remember(fleet, deployment, None, Some(error.to_string()));
            fleet.event(deployment, &SET_CREATE_ERROR, error.to_string());
            Err(error)
        }
    }
}

fn remember(
    fleet: &Fleet,
    deployment: &MachineDeployment,
    name_taken: Option<String>,
    create_failure: Option<String>,
) {
    let mut memories = fleet.memories.lock();
    let memory = memories.deployments.entry(deployment.uid().to_owned()).or_default();
    memory.name_taken = name_taken;
    memory.create_failure = create_failure;
}

async fn update_set(
    fleet: &Fleet,
    deployment: &MachineDeployment,
    patch: &SetPatch,
) -> Result<(), ExecuteError> {
    let SetPatch {
        name,
        replicas,
        labels,
        annotations,
        dropped_annotations,
        selector,
        template,
        min_ready_seconds,
        auto_preserve_failed_machine_max,
    } = patch;
    let mut body = json!({});
    if !labels.is_empty() {
        body["metadata"]["labels"] = json!(labels);
    }
    if !annotations.is_empty() {
        body["metadata"]["annotations"] = json!(annotations);
    }
    for key in dropped_annotations {
        body["metadata"]["annotations"][key] = Value::Null;
    }
    if let Some(selector) = selector {
        body["spec"]["selector"] = json!(selector);
    }
    if let Some((_, replicas)) = replicas {
        body["spec"]["replicas"] = json!(replicas);
    }
    if let Some(template) = template {
        let Some(set) = fleet.with_index(|index| index.set(name).cloned()) else { return Ok(()) };
        let value = |template| serde_json::to_value(template).unwrap_or_default();
        if let Some(change) = merge_patch(&value(&set.spec.template), &value(&**template)) {
            body["spec"]["template"] = change;
        }
    }
    if let Some(seconds) = min_ready_seconds {
        body["spec"]["minReadySeconds"] = json!(seconds);
    }
    if let Some(most) = auto_preserve_failed_machine_max {
        body["spec"]["autoPreserveFailedMachineMax"] = json!(most);
    }
    patch_set(fleet, name, &body).await?;
    if let Some((before, after)) = *replicas {
        scaled(fleet, deployment, name, before, after);
    }
    Ok(())
}

fn scaled(fleet: &Fleet, deployment: &MachineDeployment, set: &str, before: i32, after: i32) {
    let direction = if after > before { "up" } else { "down" };
    let message = format!("Scaled {direction} machine set {set} to {after}");
    fleet.event(deployment, &SCALING_SET, message);
}
