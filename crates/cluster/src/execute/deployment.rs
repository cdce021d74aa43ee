//! Performs a machine deployment's actions.

use kube::api::{DeleteParams, Patch, PatchParams, PostParams, Preconditions};
use millwright_api::{MachineDeployment, MachineSet, ObjectView, controller_reference, merge_patch};
use millwright_decide::deployment::{DeploymentAction, SetPatch, rolls_nothing};
use serde_json::{Value, json};

use super::ExecuteError;
use super::machineset::patch_set;
use crate::Fleet;
use crate::client::says_gone;
use crate::event_sorts::{SCALING_SET, SELECTING_ALL, SET_CREATE_ERROR, STRATEGY_NOT_SUPPORTED};

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
            patch_deployment(fleet, deployment, &body).await
        }
        DeploymentAction::Annotate(annotations) => {
            patch_deployment(fleet, deployment, &json!({"metadata": {"annotations": annotations}})).await
        }
        DeploymentAction::CreateSet(set) => create_set(fleet, deployment, set).await,
        DeploymentAction::AdoptSet { name } => {
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
            let message = format!(
                "spec.strategy.type {strategy:?} is not carried out by this version, so the new template is not rolled out. Use RollingUpdate or Recreate."
            );
            fleet.event(deployment, &STRATEGY_NOT_SUPPORTED, message);
            Ok(())
        }
    }
}

async fn patch_deployment(
    fleet: &Fleet,
    deployment: &MachineDeployment,
    body: &Value,
) -> Result<(), ExecuteError> {
    match fleet.deployments().patch(deployment.name(), &PatchParams::default(), &Patch::Merge(body)).await {
        Ok(written) => {
            fleet.update(|index| index.apply_deployment(written));
            Ok(())
        }
        Err(kube::Error::Api(status)) if says_gone(&status, deployment.name()) => Ok(()),
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
        annotations,
        template,
        min_ready_seconds,
        auto_preserve_failed_machine_max,
    } = patch;
    let mut body = json!({});
    if !annotations.is_empty() {
        body["metadata"]["annotations"] = json!(annotations);
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
