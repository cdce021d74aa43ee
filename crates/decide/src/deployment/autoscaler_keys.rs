//! What the cluster-autoscaler's clusterapi provider reads on a deployment and its sets.

use std::collections::BTreeMap;

use millwright_api::MachineDeployment;

use super::{DeploymentAction, DeploymentView};

/// Annotations of the deployment that are missing or no longer true.
pub(super) fn plan(_view: &DeploymentView<'_>) -> Option<DeploymentAction> {
    None
}

/// Labels and annotations of a set with that revision.
pub(super) fn of_set(
    _deployment: &MachineDeployment,
    _revision: i64,
) -> (BTreeMap<String, String>, BTreeMap<String, String>) {
    (BTreeMap::new(), BTreeMap::new())
}
