//! The strategy InPlaceUpdate as the deployment sees it: who is a candidate, who is updated next, to which set an updated
//! machine goes, and how many machines each set has meanwhile. The machine's side drains and follows the node's agent.
//!
//! Both sides agree by labels on the Node, its condition `InPlaceUpdate` and the machine's phase alone. Every step follows
//! from these and from the sizes of the sets, so a crash between any two writes is repaired by the next look:
//! - an old set makes no machines (label `scale-up-disabled`) before any of its machines may leave it;
//! - a machine that was moved carries `update-result=successful` until its new set's size has caught up, and is no surplus
//!   as long as it does;
//! - the node's labels go, and it takes pods again, in one write after the move.
//!
//! Sizes are worked out from what is there, never from a step that is thought to have been done. So replicas may change in
//! the middle, up, down and to 0, and a template may change again or back.

pub(super) mod member;
pub(super) mod node;
mod selection;
mod sizes;
mod take_over;

pub(super) use selection::chosen;
pub(super) use sizes::newest_size;

use millwright_api::keys::annotations::UPDATE_TARGET;
use millwright_api::keys::labels;
use millwright_api::{MachineDeployment, ObjectView};

use super::claim::Claim;
use super::standing::Standing;
use super::{DeploymentAction, DeploymentView, Fences, SetFacts, SetPatch, scale};
use crate::settings::TargetCluster;

/// Who says which node is updated next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Orchestration {
    /// We do.
    Auto,
    /// A user does, by a label.
    Manual,
}

impl Orchestration {
    /// The deployment's choice. None is Auto, as in machine-controller-manager; one that is not understood reads as Manual,
    /// which drains nothing by itself.
    pub(super) fn of(deployment: &MachineDeployment) -> Self {
        let given = deployment.spec.strategy.in_place_update.as_ref();
        match given.map(|update| update.orchestration_type.as_str()) {
            None | Some("" | "Auto") => Self::Auto,
            Some(_) => Self::Manual,
        }
    }
}

/// Whether the deployment's machines are updated in place: without a target cluster there are no nodes to do that with.
pub(super) fn applies(view: &DeploymentView<'_>) -> bool {
    view.deployment.spec.strategy.type_ == "InPlaceUpdate" && view.settings.target == TargetCluster::Present
}

/// The next steps but for those on nodes.
pub(super) fn plan(claim: &Claim<'_>, fences: Fences, standing: Standing) -> Vec<DeploymentAction> {
    let mut actions: Vec<DeploymentAction> =
        claim.newest.iter().flat_map(|newest| take_over::moves(claim, newest.set)).collect();
    for size in sizes::sizes(claim, fences, standing) {
        let set = size.facts.set;
        if size.to == set.spec.replicas {
            actions.extend(take_over::done(size.facts));
        }
        let scaled = (size.to > 0 || size.to != set.spec.replicas || size.place == Place::Newest)
            .then(|| scale::to(set, size.to, fences))
            .flatten();
        let mut patch = match scaled {
            Some(DeploymentAction::PatchSet(patch)) => patch,
            _ => SetPatch::of(set.name()),
        };
        if let Some(value) = scale_up_label(&size, claim, standing) {
            patch.labels.insert(labels::SCALE_UP_DISABLED.to_owned(), value);
        }
        if !patch.is_empty() {
            actions.push(DeploymentAction::PatchSet(patch));
        }
    }
    actions
}

/// Old sets make no machines; the one that grows must.
fn scale_up_label(size: &sizes::Size<'_>, claim: &Claim<'_>, standing: Standing) -> Option<Option<String>> {
    let is_there = size.facts.set.label(labels::SCALE_UP_DISABLED).is_some();
    let grows = match size.place {
        Place::Newest => true,
        Place::Old => claim.newest.is_none() && size.to > sizes::active(size.facts),
    };
    let begins = claim.newest.is_some() && standing == Standing::Going && size.facts.room() > 0;
    match (is_there, grows) {
        (true, true) => Some(None),
        (false, false) if begins => Some(Some("true".to_owned())),
        _ => None,
    }
}

/// Whether a set is the one of the current template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It is.
    Newest,
    /// It is not.
    Old,
}

/// What an update in place left behind when the strategy is another one now.
pub(super) fn leave(claim: &Claim<'_>) -> Vec<DeploymentAction> {
    let mut actions: Vec<DeploymentAction> = claim.all().flat_map(take_over::done).collect();
    if let Some(newest) =
        claim.newest.as_ref().filter(|facts| facts.set.label(labels::SCALE_UP_DISABLED).is_some())
    {
        let mut patch = SetPatch::of(newest.set.name());
        patch.labels.insert(labels::SCALE_UP_DISABLED.to_owned(), None);
        actions.push(DeploymentAction::PatchSet(patch));
    }
    actions
}

/// Machines of the newest set whose update is not finished: one that was begun for another template, or that was moved and
/// still has something of its update on it.
pub(super) fn is_underway(claim: &Claim<'_>) -> bool {
    let is_open = |facts: &SetFacts<'_>| {
        facts.members.iter().filter(|member| member::is_active(member.machine)).any(|member| {
            member.machine.label(labels::UPDATE_RESULT).is_some()
                || member.node.is_some_and(|node| node.annotation(UPDATE_TARGET).is_some())
        })
    };
    claim.newest.as_ref().is_some_and(is_open)
}
