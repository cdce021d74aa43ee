//! A deployment shows whether one of its sets is frozen, and hands an operator's wish to let go down to them.

use jiff::Timestamp;

use super::claim::Claim;
use super::{DeploymentAction, DeploymentView};

/// What must change on the deployment or its sets.
pub(super) fn plan(_view: &DeploymentView<'_>, _claim: &Claim<'_>, _now: Timestamp) -> Vec<DeploymentAction> {
    Vec::new()
}
