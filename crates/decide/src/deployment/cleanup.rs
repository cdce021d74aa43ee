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
    // Those that are on their way out already count as gone, else each look would take one more.
    let staying = claim.old.iter().filter(|facts| !facts.set.is_deleting());
    let surplus = staying.clone().count().saturating_sub(limit);
    staying
        .filter(|facts| facts.room() == 0)
        .take(surplus)
        .map(|facts| DeploymentAction::DeleteSet {
            name: facts.set.name().to_owned(),
            uid: facts.set.uid().to_owned(),
        })
        .collect()
}
