//! What a rollout writes on nodes: that new pods had better go elsewhere, that an autoscaler shall wait, and who is updated in
//! place. All of a node goes in one write, decided from the index alone; where nothing differs, nothing is written.
//!
//! Marks never hold a rollout up: a node that takes none is tried again later, ever more rarely.

use std::collections::BTreeSet;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Taint;
use millwright_api::keys::annotations::{PREFER_NO_SCHEDULE, SCALE_DOWN_DISABLED, SCALE_DOWN_DISABLED_BY_US};
use millwright_api::keys::taints;
use millwright_api::{Machine, NodeView, ObjectView};

use super::claim::Claim;
use super::in_place::member::is_active;
use super::in_place::{self, Orchestration, Place};
use super::standing::Standing;
use super::{DeploymentAction, DeploymentPlan, DeploymentView, Fences, SetFacts, SetPatch, status};
use crate::machine::{NodePatch, UpdateProgress};
use crate::settings::TargetCluster;
use crate::{AutoscalerAnnotations, Requeue};

/// Adds the marks of nodes and sets that must come or go. A rollout that is stopped keeps those it has.
pub(super) fn add_to(
    plan: &mut DeploymentPlan,
    view: &DeploymentView<'_>,
    claim: &Claim<'_>,
    fences: Fences,
    standing: Standing,
    now: Timestamp,
) {
    if view.settings.target == TargetCluster::Absent {
        return;
    }
    let Some(newest) = &claim.newest else { return };
    plan.actions.extend(set_marks(claim, standing));
    let marks = Marks {
        autoscaler: Autoscaler::during(view, claim, fences, standing),
        newest: newest.set.name(),
        standing,
        in_place: in_place::applies(view),
        chosen: match (in_place::applies(view), Orchestration::of(view.deployment), standing) {
            (true, Orchestration::Auto, Standing::Going) => in_place::chosen(claim, fences),
            _ => BTreeSet::new(),
        },
    };
    let old = claim.old.iter().map(|facts| (facts, Place::Old));
    let patches: Vec<DeploymentAction> = old
        .chain([(newest, Place::Newest)])
        .flat_map(|(facts, place)| facts.members.iter().map(move |member| (member, place)))
        .filter(|(member, _)| is_active(member.machine))
        .filter_map(|(member, place)| {
            let node = member.node.filter(|node| !node.is_deleting())?;
            let patch = marks.patch(member.machine, node, place)?;
            Some(DeploymentAction::PatchNode { machine: member.machine.name().to_owned(), patch })
        })
        .collect();
    if patches.is_empty() {
        return;
    }
    match view.memory.node_trouble.and_then(|trouble| trouble.rest(now)) {
        Some(rest) => plan.requeue = plan.requeue.or(Requeue::After(rest)),
        None => plan.actions.extend(patches),
    }
}

/// Whether a rollout has nothing to learn from a change of a node, as from most of what its kubelet reports.
#[must_use]
pub fn looks_the_same(before: &NodeView, after: &NodeView) -> bool {
    before.metadata.labels == after.metadata.labels
        && before.metadata.annotations == after.metadata.annotations
        && before.spec.taints == after.spec.taints
        && before.spec.unschedulable == after.spec.unschedulable
        && before.is_deleting() == after.is_deleting()
        && UpdateProgress::of(before) == UpdateProgress::of(after)
}

/// Sets tell by an annotation that their nodes are tainted, for whoever takes over from here.
fn set_marks(claim: &Claim<'_>, standing: Standing) -> Vec<DeploymentAction> {
    let is_marked = |facts: &SetFacts<'_>| facts.set.annotation(PREFER_NO_SCHEDULE).is_some();
    let mut actions = Vec::new();
    if standing == Standing::Going {
        for facts in claim.old.iter().filter(|facts| facts.machines > 0 && !is_marked(facts)) {
            let annotations = [(PREFER_NO_SCHEDULE.to_owned(), "True".to_owned())].into();
            actions
                .push(DeploymentAction::PatchSet(SetPatch { annotations, ..SetPatch::of(facts.set.name()) }));
        }
    }
    if let Some(newest) = claim.newest.as_ref().filter(|facts| is_marked(facts)) {
        let dropped_annotations = vec![PREFER_NO_SCHEDULE.to_owned()];
        let patch = SetPatch { dropped_annotations, ..SetPatch::of(newest.set.name()) };
        actions.push(DeploymentAction::PatchSet(patch));
    }
    actions
}

/// What autoscalers are told of the deployment's nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Autoscaler {
    /// To remove none.
    Waits,
    /// That they may again.
    Returns,
    /// What they were told before.
    AsBefore,
}

impl Autoscaler {
    fn during(view: &DeploymentView<'_>, claim: &Claim<'_>, fences: Fences, standing: Standing) -> Self {
        if view.settings.autoscaler_annotations == AutoscalerAnnotations::Left {
            Self::AsBefore
        } else if status::is_complete(claim, fences) {
            Self::Returns
        } else if standing == Standing::Going && claim.old.iter().any(|facts| facts.room() > 0) {
            Self::Waits
        } else {
            Self::AsBefore
        }
    }
}

struct Marks<'a> {
    autoscaler: Autoscaler,
    newest: &'a str,
    standing: Standing,
    in_place: bool,
    chosen: BTreeSet<&'a str>,
}

impl Marks<'_> {
    fn patch(&self, machine: &Machine, node: &NodeView, place: Place) -> Option<NodePatch> {
        let mut patch = NodePatch::of(node.name());
        self.mark_for_pods(&mut patch, node, place);
        self.mark_for_autoscalers(&mut patch, machine, node);
        if self.in_place {
            in_place::node::change(&mut patch, machine, node, place, self.newest, self.standing);
        } else if place == Place::Newest {
            in_place::node::let_go(&mut patch, machine, node);
        }
        if self.chosen.contains(machine.uid()) {
            in_place::node::select(&mut patch);
        }
        (!patch.is_empty()).then_some(patch)
    }

    fn mark_for_pods(&self, patch: &mut NodePatch, node: &NodeView, place: Place) {
        let is_tainted = node.spec.taints.iter().any(|taint| taint.key == taints::PREFER_NO_SCHEDULE);
        match (place, is_tainted) {
            (Place::Old, false) if self.standing == Standing::Going => patch.taints_of(node).push(Taint {
                key: taints::PREFER_NO_SCHEDULE.to_owned(),
                value: Some("True".to_owned()),
                effect: "PreferNoSchedule".to_owned(),
                ..Taint::default()
            }),
            (Place::Newest, true) => {
                patch.taints_of(node).retain(|taint| taint.key != taints::PREFER_NO_SCHEDULE);
            }
            _ => {}
        }
    }

    /// What a user has set stays, and what keeps a preserved machine belongs to its preservation.
    fn mark_for_autoscalers(&self, patch: &mut NodePatch, machine: &Machine, node: &NodeView) {
        let is_ours = node.annotation(SCALE_DOWN_DISABLED_BY_US).is_some();
        let is_kept = machine.status.current_status.preserve_expiry_time.is_some();
        let value = match self.autoscaler {
            Autoscaler::Waits if node.annotation(SCALE_DOWN_DISABLED).is_none() => Some("true".to_owned()),
            Autoscaler::Returns if is_ours && !is_kept => None,
            Autoscaler::Waits | Autoscaler::Returns | Autoscaler::AsBefore => return,
        };
        for key in [SCALE_DOWN_DISABLED, SCALE_DOWN_DISABLED_BY_US] {
            patch.annotations.insert(key.to_owned(), value.clone());
        }
    }
}
