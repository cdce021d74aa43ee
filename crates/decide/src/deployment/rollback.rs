//! Going back to the template of an earlier revision, when `spec.rollbackTo` asks for it.

use super::claim::Claim;
use super::{DeploymentAction, DeploymentView};

/// The steps of a rollback; nothing when none is asked for.
pub(super) fn plan(_view: &DeploymentView<'_>, _claim: &Claim<'_>) -> Vec<DeploymentAction> {
    Vec::new()
}
