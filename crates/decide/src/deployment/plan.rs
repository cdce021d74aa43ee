//! The next steps of a machine deployment.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::keys::finalizers;
use millwright_api::{MachineDeployment, ObjectView};

use super::claim::{Claim, claim};
use super::scale::Growth;
use super::{
    DeploymentAction, DeploymentView, Fences, autoscaler_keys, cleanup, deletion_marks, freeze_label, hold,
    new_set, node_marks, recreate, rollback, rolling, scale, status,
};
use crate::spec_problem::{selects_everything, spec_problem};
use crate::{Requeue, pace};

/// The answer of a decision about a machine deployment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeploymentPlan {
    /// What to do, in order.
    pub actions: Vec<DeploymentAction>,
    /// When to look again if nothing happens.
    pub requeue: Requeue,
}

/// The plan for a deployment as it stands now.
#[must_use]
pub fn plan(view: &DeploymentView<'_>, now: Timestamp) -> DeploymentPlan {
    let deployment = view.deployment;
    let mut plan = DeploymentPlan::default();
    if view.freeze.is_frozen() {
        return plan;
    }
    let spec = &deployment.spec;
    let claim = claim(deployment, &view.sets);
    if deployment.is_deleting() {
        delete_sets(deployment, &claim, &mut plan);
    } else if spec.selector.as_ref().is_some_and(selects_everything) {
        plan.actions.push(DeploymentAction::WarnSelectingAll);
        return plan;
    } else if spec_problem(spec.replicas, spec.selector.as_ref(), &spec.template).is_some() {
        // The status says what is wrong; nothing is done on the strength of it.
    } else if !deployment.has_finalizer(finalizers::MACHINE) {
        let list = deployment.finalizers_with(finalizers::MACHINE);
        plan.actions.push(DeploymentAction::SetFinalizers(list));
        return plan;
    } else if !claim.adoptable.is_empty() {
        plan.actions.extend(
            claim.adoptable.iter().map(|name| DeploymentAction::AdoptSet { name: (*name).to_owned() }),
        );
        return plan;
    } else {
        plan.actions.extend(deletion_marks::plan(view, &claim, now));
        plan.actions.extend(freeze_label::plan(view, &claim, now));
        plan.actions.extend(autoscaler_keys::plan(view));
        let back = if spec.paused { Vec::new() } else { rollback::plan(view, &claim) };
        if back.is_empty() {
            roll(view, &claim, &mut plan, now);
        } else {
            plan.actions.extend(back);
        }
    }
    if deployment.is_deleting() && claim.all().next().is_none() {
        return plan;
    }
    push_status(view, &claim, &mut plan, now);
    plan
}

fn delete_sets(deployment: &MachineDeployment, claim: &Claim<'_>, plan: &mut DeploymentPlan) {
    plan.actions.extend(claim.all().filter(|facts| !facts.set.is_deleting()).map(|facts| {
        DeploymentAction::DeleteSet { name: facts.set.name().to_owned(), uid: facts.set.uid().to_owned() }
    }));
    if claim.all().next().is_none() && deployment.has_finalizer(finalizers::MACHINE) {
        let left = deployment.finalizers_without(finalizers::MACHINE);
        plan.actions.push(DeploymentAction::SetFinalizers(left));
    }
}

fn roll(view: &DeploymentView<'_>, claim: &Claim<'_>, plan: &mut DeploymentPlan, now: Timestamp) {
    let deployment = view.deployment;
    let fences = Fences::of(deployment);
    let paused = deployment.spec.paused;
    let steps = match deployment.spec.strategy.type_.as_str() {
        "" | "RollingUpdate" => Steps::Rolling,
        "Recreate" => Steps::Recreate,
        other => Steps::Unknown(other),
    };
    let held = match steps {
        Steps::Recreate if paused => recreate::old_are_leaving(claim),
        Steps::Recreate => recreate::has_old_machines(claim),
        Steps::Rolling | Steps::Unknown(_) => false,
    };
    let growth = match steps {
        Steps::Rolling if !paused => Growth::AsVmsGo,
        Steps::Rolling | Steps::Recreate | Steps::Unknown(_) => Growth::AtOnce,
    };
    if !held && scale::is_due(claim, fences, growth) {
        plan.actions.extend(scale::plan(claim, fences, growth));
        return;
    }
    if paused {
        return;
    }
    if let Some(hold) = hold::of(view, claim, fences, now) {
        plan.requeue = plan.requeue.or(hold.requeue);
        return;
    }
    let revision = new_set::revision(claim);
    let Some(newest) = &claim.newest else {
        let size = match steps {
            Steps::Rolling => rolling::newest_size(claim, fences),
            Steps::Recreate if recreate::has_old_machines(claim) => {
                plan.actions.extend(recreate::plan(claim, fences));
                return;
            }
            Steps::Recreate => fences.replicas,
            Steps::Unknown(_) if claim.old.is_empty() => fences.replicas,
            Steps::Unknown(strategy) => {
                plan.actions.push(DeploymentAction::WarnStrategy { strategy: strategy.to_owned() });
                return;
            }
        };
        // A name that is taken needs the collision count in the status first.
        if !new_set::is_name_taken(deployment, view.memory) {
            let set = new_set::build(deployment, size, fences, revision);
            plan.actions.push(DeploymentAction::CreateSet(Box::new(set)));
            plan.actions.extend(new_set::annotate(deployment, revision));
        }
        return;
    };
    let update = new_set::update(deployment, newest, revision);
    if !update.is_empty() {
        plan.actions.push(DeploymentAction::PatchSet(update));
        plan.actions.extend(new_set::annotate(deployment, revision));
        return;
    }
    plan.actions.extend(new_set::annotate(deployment, revision));
    plan.actions.extend(node_marks::plan(view, claim, fences));
    plan.actions.extend(match steps {
        Steps::Rolling => rolling::plan(claim, fences),
        Steps::Recreate => recreate::plan(claim, fences),
        Steps::Unknown(strategy) if claim.old.iter().any(|facts| facts.set.spec.replicas > 0) => {
            vec![DeploymentAction::WarnStrategy { strategy: strategy.to_owned() }]
        }
        Steps::Unknown(_) => Vec::new(),
    });
    if status::is_complete(claim, fences) {
        plan.actions.extend(cleanup::plan(deployment, claim));
    }
}

#[derive(Clone, Copy)]
enum Steps<'a> {
    Rolling,
    Recreate,
    Unknown(&'a str),
}

fn push_status(view: &DeploymentView<'_>, claim: &Claim<'_>, plan: &mut DeploymentPlan, now: Timestamp) {
    let deployment = view.deployment;
    let wanted = status::status(deployment, claim, view.memory, Fences::of(deployment), now);
    if let Some(left) = status::deadline_left(deployment, now).filter(|left| !left.is_zero()) {
        plan.requeue = plan.requeue.or(Requeue::After(left + Duration::from_secs(1)));
    }
    if wanted == deployment.status {
        return;
    }
    match pace::rest(view.memory.status_written_at, now) {
        Some(rest) => plan.requeue = plan.requeue.or(Requeue::After(rest)),
        None => plan.actions.push(DeploymentAction::PatchStatus(Box::new(wanted))),
    }
}
