//! What a rollout writes on nodes: that new pods had better go elsewhere, and that an autoscaler shall wait.

use super::claim::Claim;
use super::{DeploymentAction, DeploymentView, Fences};

/// Marks of nodes that must come or go.
pub(super) fn plan(_view: &DeploymentView<'_>, _claim: &Claim<'_>, _fences: Fences) -> Vec<DeploymentAction> {
    Vec::new()
}
