//! Old sets that nobody needs for a rollback any more.

use millwright_api::keys::annotations::REVISION;
use millwright_api::{MachineDeployment, ObjectView};

use super::claim::Claim;
use super::{DeploymentAction, SetFacts, annotations};

/// Deletes the sets of the lowest revisions beyond the limit, as far as they are empty. Without a limit all are kept.
///
/// By revision and not by age: after a rollback the oldest set may be the one that was in use last. A surplus set that
/// still has machines is waited for; no later revision goes in its place.
pub(super) fn plan(deployment: &MachineDeployment, claim: &Claim<'_>) -> Vec<DeploymentAction> {
    let Some(limit) = deployment.spec.revision_history_limit.and_then(|limit| usize::try_from(limit).ok())
    else {
        return Vec::new();
    };
    // Those that are on their way out already count as gone, else each look would take one more.
    let mut staying: Vec<&SetFacts<'_>> = claim.old.iter().filter(|facts| !facts.set.is_deleting()).collect();
    staying.sort_by_key(|facts| annotations::number(facts.set, REVISION).unwrap_or(0));
    let surplus = staying.len().saturating_sub(limit);
    staying
        .into_iter()
        .take(surplus)
        .filter(|facts| facts.room() == 0)
        .map(|facts| DeploymentAction::DeleteSet {
            name: facts.set.name().to_owned(),
            uid: facts.set.uid().to_owned(),
        })
        .collect()
}
