//! Going back to the template of an earlier revision, when `spec.rollbackTo` asks for it.
//!
//! Only the template and the annotations of its set come back, all in one write that loses against any other: whoever changed
//! the deployment in between wanted something else. Which set is the newest follows from the template at the next look.

use millwright_api::keys::annotations::REVISION;
use millwright_api::keys::labels::TEMPLATE_HASH;
use millwright_api::{MachineDeployment, MachineTemplate};

use super::claim::Claim;
use super::{
    DeploymentAction, DeploymentPatch, Lock, RollbackOutcome, RollbackRequest, SetFacts, annotations,
    new_set, rolls_nothing,
};

/// What answers a request to go back; nothing when there is none.
pub(super) fn plan(deployment: &MachineDeployment, claim: &Claim<'_>) -> Option<DeploymentAction> {
    let asked = deployment.spec.rollback_to.as_ref()?.revision;
    let mut patch = DeploymentPatch { lock: Lock::Version, ..DeploymentPatch::default() };
    let outcome = match target(claim, asked) {
        Target::None if asked == 0 => RollbackOutcome::NoEarlierRevision,
        Target::None => RollbackOutcome::RevisionNotFound { revision: asked },
        Target::Newest => RollbackOutcome::TemplateUnchanged { revision: asked },
        Target::Old { facts, revision }
            if rolls_nothing(&facts.set.spec.template, &deployment.spec.template) =>
        {
            RollbackOutcome::TemplateUnchanged { revision }
        }
        Target::Old { facts, revision } => {
            patch.template = Some(Box::new(without_hash(&facts.set.spec.template)));
            patch.annotations = annotations::taken_back(deployment, facts.set);
            RollbackOutcome::RolledBack { revision }
        }
    };
    patch.rollback = RollbackRequest::Done(outcome);
    Some(DeploymentAction::PatchDeployment(patch))
}

enum Target<'c, 'a> {
    None,
    Newest,
    Old { facts: &'c SetFacts<'a>, revision: i64 },
}

/// The set with the revision that was asked for. The newest set has, or is about to get, the highest of all, so
/// the previous one is the highest of the others.
fn target<'c, 'a>(claim: &'c Claim<'a>, asked: i64) -> Target<'c, 'a> {
    let numbered =
        || claim.old.iter().filter_map(|facts| Some((facts, annotations::number(facts.set, REVISION)?)));
    let found = match asked {
        0 => numbered().max_by_key(|(_, revision)| *revision),
        _ => numbered().find(|(_, revision)| *revision == asked),
    };
    if let Some((facts, revision)) = found {
        return Target::Old { facts, revision };
    }
    let is_newest = claim.newest.as_ref().is_some_and(|newest| {
        new_set::revision(claim) == asked || annotations::number(newest.set, REVISION) == Some(asked)
    });
    if is_newest { Target::Newest } else { Target::None }
}

fn without_hash(template: &MachineTemplate) -> MachineTemplate {
    let mut template = template.clone();
    if let Some(labels) = &mut template.metadata.labels {
        labels.remove(TEMPLATE_HASH);
    }
    template
}
