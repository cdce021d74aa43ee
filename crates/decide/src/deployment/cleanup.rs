//! Old sets that nobody needs for a rollback any more.

use millwright_api::{MachineDeployment, ObjectView};

use super::DeploymentAction;
use super::claim::Claim;

/// Deletes the oldest empty sets beyond the limit. Without a limit all are kept.
pub(super) fn plan(deployment: &MachineDeployment, claim: &Claim<'_>) -> Vec<DeploymentAction> {
    let Some(limit) = deployment.spec.revision_history_limit.and_then(|limit| usize::try_from(limit).ok())
    else {
        return Vec::new();
    };
    let surplus = claim.old.len().saturating_sub(limit);
    claim
        .old
        .iter()
        .filter(|facts| facts.room() == 0 && !facts.set.is_deleting())
        .take(surplus)
        .map(|facts| DeploymentAction::DeleteSet {
            name: facts.set.name().to_owned(),
            uid: facts.set.uid().to_owned(),
        })
        .collect()
}
