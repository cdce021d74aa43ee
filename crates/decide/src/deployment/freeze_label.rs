//! A deployment shows whether one of its sets is frozen, and hands an operator's wish to let go down to them.
//!
//! As on a set, the condition comes before the label and goes after it; so a label that stands without the condition was put
//! there by a user. It freezes the sets, and stays.

use jiff::Timestamp;
use millwright_api::keys::{annotations, labels};
use millwright_api::{ConditionStatus, DeploymentCondition, MachineDeployment, ObjectView};

use super::claim::Claim;
use super::condition::{self, News, Saying};
use super::{DeploymentAction, DeploymentPatch, DeploymentView, SetFacts, SetPatch};
use crate::machineset::overshoot::{FROZEN, is_frozen_by_user, is_judged_frozen};

/// What must change on the deployment or its sets.
pub(super) fn plan(view: &DeploymentView<'_>, claim: &Claim<'_>, _now: Timestamp) -> Vec<DeploymentAction> {
    let deployment = view.deployment;
    if deployment.annotation(annotations::UNFREEZE).is_some() {
        return let_go(deployment, claim);
    }
    let value = match (is_labelled(deployment), is_judged(deployment), frozen(claim).next().is_some()) {
        (false, true, true) => Some("True".to_owned()),
        (true, true, false) => None,
        _ => return Vec::new(),
    };
    let labels = [(labels::FREEZE.to_owned(), value)].into();
    vec![DeploymentAction::PatchDeployment(DeploymentPatch { labels, ..DeploymentPatch::default() })]
}

/// Every frozen set is asked to let go; then the wish is used up, and with it the label of a user.
fn let_go(deployment: &MachineDeployment, claim: &Claim<'_>) -> Vec<DeploymentAction> {
    let deaf = frozen(claim).filter(|facts| facts.set.annotation(annotations::UNFREEZE).is_none());
    let mut actions: Vec<DeploymentAction> = deaf
        .map(|facts| {
            let mut patch = SetPatch::of(facts.set.name());
            patch.annotations = [(annotations::UNFREEZE.to_owned(), "true".to_owned())].into();
            DeploymentAction::PatchSet(patch)
        })
        .collect();
    let mut patch = DeploymentPatch {
        annotations: [(annotations::UNFREEZE.to_owned(), None)].into(),
        ..DeploymentPatch::default()
    };
    if is_frozen_by_user(deployment) {
        patch.labels = [(labels::FREEZE.to_owned(), None)].into();
    }
    actions.push(DeploymentAction::PatchDeployment(patch));
    actions
}

/// Brings the condition into a status that is being made.
pub(super) fn show(
    deployment: &MachineDeployment,
    claim: &Claim<'_>,
    conditions: &mut Vec<DeploymentCondition>,
    now: Timestamp,
) {
    if is_labelled(deployment) {
        return;
    }
    match (is_judged(deployment), frozen(claim).next()) {
        (false, Some(facts)) => {
            let message = &format!("Machine set {:?} is frozen; see its condition.", facts.set.name());
            let reason = "MachineDeploymentStateSync";
            let saying = Saying { status: ConditionStatus::True, reason, message, news: News::No };
            condition::set(conditions, FROZEN, &saying, now);
        }
        (true, None) => conditions.retain(|condition| condition.type_ != FROZEN),
        (true, Some(_)) | (false, None) => {}
    }
}

fn frozen<'c, 'a>(claim: &'c Claim<'a>) -> impl Iterator<Item = &'c SetFacts<'a>> {
    claim.all().filter(|facts| facts.set.label(labels::FREEZE) == Some("True") || is_judged_frozen(facts.set))
}

fn is_labelled(deployment: &MachineDeployment) -> bool {
    deployment.label(labels::FREEZE) == Some("True")
}

fn is_judged(deployment: &MachineDeployment) -> bool {
    condition::find(&deployment.status.conditions, FROZEN).is_some_and(DeploymentCondition::is_true)
}
