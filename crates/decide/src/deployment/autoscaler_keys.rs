//! What the cluster-autoscaler's clusterapi provider reads on a deployment and its sets: whether a rollout goes on, whether the
//! deployment is paused, and what its nodes will offer. It knows a group by the annotations with its sizes.

use std::collections::BTreeMap;

use millwright_api::keys::{annotations as keys, labels};
use millwright_api::{MachineDeployment, ObjectView};

use super::claim::Claim;
use super::{
    DeploymentAction, DeploymentPatch, DeploymentView, Lock, SetFacts, SetPatch, annotations,
    autoscaler_capacity,
};

/// Value of the annotation that hides a paused group, by which it is told from one that users wrote.
const WHILE_PAUSED: &str = "spec.paused";
/// The longest value that a label may have.
const MAX_LABEL: usize = 63;

/// What is missing or no longer true on the deployment and its sets.
pub(super) fn plan(view: &DeploymentView<'_>, claim: &Claim<'_>) -> Vec<DeploymentAction> {
    let deployment = view.deployment;
    let mut actions: Vec<DeploymentAction> = on_deployment(view).into_iter().collect();
    actions.extend(claim.all().filter_map(|facts| on_set(deployment, facts)));
    actions
}

/// Labels and annotations of a set with that revision: both or neither, because a set with the label alone counts as one that
/// is being replaced, for ever.
pub(super) fn of_set(
    deployment: &MachineDeployment,
    revision: i64,
) -> (BTreeMap<String, String>, BTreeMap<String, String>) {
    if deployment.name().len() > MAX_LABEL {
        return Default::default();
    }
    let label = (labels::CLUSTER_API_DEPLOYMENT_NAME.to_owned(), deployment.name().to_owned());
    let annotation = (keys::CLUSTER_API_REVISION.to_owned(), revision.to_string());
    ([label].into(), [annotation].into())
}

/// An autoscaler may change its size.
fn is_group(deployment: &MachineDeployment) -> bool {
    let has = |key| deployment.annotation(key).is_some();
    has(keys::CLUSTER_API_MIN_SIZE) || has(keys::CLUSTER_API_MAX_SIZE)
}

fn on_deployment(view: &DeploymentView<'_>) -> Option<DeploymentAction> {
    let deployment = view.deployment;
    let mut changes = autoscaler_capacity::changes(deployment, view.class);
    let is_hidden = deployment.spec.paused && is_group(deployment);
    match deployment.annotation(keys::CLUSTER_API_PAUSED) {
        None if is_hidden => {
            changes.insert(keys::CLUSTER_API_PAUSED.to_owned(), Some(WHILE_PAUSED.to_owned()));
        }
        Some(WHILE_PAUSED) if !is_hidden => {
            changes.insert(keys::CLUSTER_API_PAUSED.to_owned(), None);
        }
        _ => {}
    }
    // What a user has written in between must stay.
    let patch = DeploymentPatch { annotations: changes, lock: Lock::Version, ..DeploymentPatch::default() };
    (!patch.annotations.is_empty()).then_some(DeploymentAction::PatchDeployment(patch))
}

/// Sets that came from elsewhere get the keys when somebody looks at them; one that has them keeps them true.
fn on_set(deployment: &MachineDeployment, facts: &SetFacts<'_>) -> Option<DeploymentAction> {
    let set = facts.set;
    let is_looked_at = is_group(deployment) && facts.room() > 0;
    let has_keys = set.label(labels::CLUSTER_API_DEPLOYMENT_NAME).is_some();
    if set.is_deleting() || !(is_looked_at || has_keys) {
        return None;
    }
    let (labels, wanted) = of_set(deployment, annotations::number(set, keys::REVISION)?);
    let patch = SetPatch {
        labels: labels
            .into_iter()
            .filter(|(key, value)| set.label(key) != Some(value))
            .map(|(key, value)| (key, Some(value)))
            .collect(),
        annotations: annotations::missing(set, wanted),
        ..SetPatch::of(set.name())
    };
    (!patch.is_empty()).then_some(DeploymentAction::PatchSet(patch))
}
