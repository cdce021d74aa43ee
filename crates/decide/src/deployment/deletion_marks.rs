//! Machines that an autoscaler chose to go with the next scale-down: takes them over from the deployment's annotation onto
//! the machines themselves, where the ranking of a set finds them, and keeps the annotation tidy.

use jiff::Timestamp;

use super::claim::Claim;
use super::{DeploymentAction, DeploymentView};

/// Marks the machines of the annotation, and drops its entries that nobody can act on.
pub(super) fn plan(_view: &DeploymentView<'_>, _claim: &Claim<'_>, _now: Timestamp) -> Vec<DeploymentAction> {
    Vec::new()
}
