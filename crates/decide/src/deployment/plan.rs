//! The next steps of a machine deployment.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::keys::finalizers;
use millwright_api::{MachineDeployment, MachineDeploymentStatus, ObjectView};

use super::claim::{Claim, claim};
use super::hold::{self, Hold, Outlook};
use super::scale::{FromZero, Growth};
use super::standing::Standing;
use super::{
    DeploymentAction, DeploymentView, Fences, SetPatch, autoscaler_keys, cleanup, deletion_marks,
    freeze_label, hash_label, in_place, new_set, node_marks, progress, recreate, rollback, rolling, scale,
    status,
};
use crate::availability::next_available;
use crate::fleet_bound::PlaceUse;
use crate::spec_problem::{selects_everything, spec_problem};
use crate::{Requeue, pace};

/// The answer of a decision about a machine deployment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeploymentPlan {
    /// What to do, in order.
    pub actions: Vec<DeploymentAction>,
    /// When to look again if nothing happens.
    pub requeue: Requeue,
    /// What it makes of the bound of its fleet.
    pub places: PlaceUse,
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
    let problem = spec_problem(spec.replicas, spec.selector.as_ref(), &spec.template);
    let mut held = None;
    if deployment.is_deleting() {
        delete_sets(deployment, &claim, &mut plan);
    } else if let Some(problem) = problem {
        // The status says what is wrong; nothing is done on the strength of it.
        let selects_all = spec.selector.as_ref().is_some_and(selects_everything);
        if selects_all && !progress::is_told(deployment, &problem) {
            plan.actions.push(DeploymentAction::WarnSelectingAll);
        }
    } else if !deployment.has_finalizer(finalizers::MACHINE) {
        let list = deployment.finalizers_with(finalizers::MACHINE);
        plan.actions.push(DeploymentAction::SetFinalizers(list));
        return plan;
    } else if !claim.strays.is_empty() || !claim.adoptable.is_empty() {
        plan.actions.extend(own_and_disown(&claim));
        return plan;
    } else {
        let fences = Fences::of(deployment);
        let outlook = hold::outlook(view, &claim, fences, now);
        plan.actions.extend(deletion_marks::plan(view, &claim, now));
        plan.actions.extend(freeze_label::plan(view, &claim, now));
        plan.actions.extend(autoscaler_keys::plan(view, &claim));
        let back = if spec.paused { None } else { rollback::plan(deployment, &claim) };
        match back {
            Some(back) => plan.actions.push(back),
            None => roll(view, &claim, fences, &outlook, &mut plan, now),
        }
        plan.places = outlook.places_of(&claim, &plan.actions);
        held = outlook.hold;
        let labels = hash_label::plan(deployment, &claim, &plan.actions);
        plan.actions.extend(labels);
    }
    if deployment.is_deleting() && claim.all().next().is_none() {
        return plan;
    }
    push_status(view, &claim, held.as_ref(), &mut plan, now);
    plan
}

fn own_and_disown<'a>(claim: &'a Claim<'_>) -> impl Iterator<Item = DeploymentAction> + 'a {
    let strays = claim.strays.iter().map(|name| DeploymentAction::ReleaseSet { name: (*name).to_owned() });
    let found = claim.adoptable.iter().map(|name| DeploymentAction::AdoptSet { name: (*name).to_owned() });
    strays.chain(found)
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

fn roll(
    view: &DeploymentView<'_>,
    claim: &Claim<'_>,
    fences: Fences,
    outlook: &Outlook,
    plan: &mut DeploymentPlan,
    now: Timestamp,
) {
    let deployment = view.deployment;
    let paused = deployment.spec.paused;
    let standing = if paused { Standing::Stopped } else { outlook.standing };
    plan.requeue = plan.requeue.or(outlook.requeue);
    let steps = match deployment.spec.strategy.type_.as_str() {
        "" | "RollingUpdate" => Steps::Rolling,
        "Recreate" => Steps::Recreate,
        _ if in_place::applies(view) => Steps::InPlace,
        other => Steps::Unknown(other),
    };
    let waits_for_old = match (steps, standing) {
        (Steps::Recreate, Standing::Stopped) => recreate::old_are_leaving(claim),
        (Steps::Recreate, Standing::Going) => recreate::has_old_machines(claim),
        (Steps::Rolling | Steps::InPlace | Steps::Unknown(_), _) => false,
    };
    let growth = match (steps, standing) {
        (Steps::Rolling, Standing::Going) => Growth::AsVmsGo,
        _ => Growth::AtOnce,
    };
    let from_zero = match steps {
        Steps::Rolling => FromZero::AsVmsGo,
        Steps::Recreate | Steps::InPlace | Steps::Unknown(_) => FromZero::AtOnce,
    };
    let revision = new_set::revision(claim);
    let update = claim.newest.as_ref().map(|newest| new_set::update(deployment, newest, revision));
    let mut sizes = match steps {
        Steps::InPlace => in_place::plan(claim, outlook.fences, standing),
        Steps::Rolling | Steps::Recreate | Steps::Unknown(_) => in_place::leave(claim),
    };
    // An update in place sizes its sets itself, whether replicas changed or machines went from one to another.
    let is_due = match steps {
        Steps::InPlace => changes_sizes(&sizes),
        Steps::Rolling | Steps::Recreate | Steps::Unknown(_) => {
            !waits_for_old && scale::is_due(claim, fences, from_zero)
        }
    };
    if is_due && !matches!(steps, Steps::InPlace) {
        sizes.extend(scale::plan(claim, fences, growth));
    }
    if let Some(update) = update.as_ref().filter(|_| is_due) {
        hand_down(&mut sizes, update);
    }
    plan.actions.extend(sizes);
    node_marks::add_to(plan, view, claim, outlook.fences, standing, now);
    if is_due {
        return;
    }
    // Rolls nothing, and is done while a rollout must wait, too.
    if let Some(update) = update {
        let is_due = !update.is_empty();
        if is_due {
            plan.actions.push(DeploymentAction::PatchSet(update));
        }
        plan.actions.extend(new_set::annotate(deployment, revision));
        if is_due {
            return;
        }
    }
    if standing == Standing::Stopped && matches!(steps, Steps::Rolling) {
        plan.actions.extend(hold::right_size(claim, fences));
    }
    if paused {
        plan.actions.extend(deletion_marks::hand_down(deployment, claim));
        if deployment.spec.rollback_to.is_none() {
            plan.actions.extend(cleanup::plan(deployment, claim));
        }
        return;
    }
    if standing == Standing::Stopped {
        return;
    }
    if claim.newest.is_none() {
        begin(view, claim, outlook.fences, steps, plan);
        return;
    }
    plan.actions.extend(match steps {
        Steps::Rolling => rolling::plan(claim, outlook.fences),
        Steps::Recreate => recreate::plan(claim, outlook.fences),
        Steps::InPlace => Vec::new(),
        Steps::Unknown(strategy) if claim.old.iter().any(|facts| facts.set.spec.replicas > 0) => {
            vec![DeploymentAction::WarnStrategy { strategy: strategy.to_owned() }]
        }
        Steps::Unknown(_) => Vec::new(),
    });
    if status::is_complete(claim, fences) {
        plan.actions.extend(cleanup::plan(deployment, claim));
    }
}

/// Makes the set of the current template, as soon as the strategy lets it be.
fn begin(
    view: &DeploymentView<'_>,
    claim: &Claim<'_>,
    fences: Fences,
    steps: Steps<'_>,
    plan: &mut DeploymentPlan,
) {
    let deployment = view.deployment;
    let size = match steps {
        Steps::Rolling => rolling::newest_size(claim, fences),
        Steps::Recreate if recreate::has_old_machines(claim) => {
            plan.actions.extend(recreate::plan(claim, fences));
            return;
        }
        Steps::Recreate => fences.replicas,
        Steps::InPlace => in_place::newest_size(claim, fences),
        Steps::Unknown(_) if claim.old.is_empty() => fences.replicas,
        Steps::Unknown(strategy) => {
            plan.actions.push(DeploymentAction::WarnStrategy { strategy: strategy.to_owned() });
            return;
        }
    };
    // A name that is taken needs the collision count in the status first.
    if !new_set::is_name_taken(deployment, view.memory) {
        let revision = new_set::revision(claim);
        let set = new_set::build(deployment, size, fences, revision);
        plan.actions.push(DeploymentAction::CreateSet(Box::new(set)));
        plan.actions.extend(new_set::annotate(deployment, revision));
    }
}

#[derive(Clone, Copy)]
enum Steps<'a> {
    Rolling,
    Recreate,
    InPlace,
    Unknown(&'a str),
}

fn changes_sizes(actions: &[DeploymentAction]) -> bool {
    actions.iter().any(|action| match action {
        DeploymentAction::PatchSet(patch) => patch.replicas.is_some(),
        _ => false,
    })
}

/// What annotations tell the newest set goes with its new size: when an autoscaler changed the replicas must neither be
/// known before the size, nor long after it.
fn hand_down(actions: &mut [DeploymentAction], update: &SetPatch) {
    for action in actions {
        if let DeploymentAction::PatchSet(patch) = action
            && patch.name == update.name
            && patch.replicas.is_some()
        {
            patch.annotations.extend(update.annotations.clone());
        }
    }
}

/// When a machine of any set has been ready for long enough.
fn next_availability(view: &DeploymentView<'_>, claim: &Claim<'_>, now: Timestamp) -> Requeue {
    claim.all().fold(Requeue::OnChange, |soonest, facts| {
        let machines = facts.members.iter().map(|member| member.machine);
        let rule = view.settings.min_ready;
        soonest.or(next_available(machines, facts.set.spec.min_ready_seconds, rule, now))
    })
}

fn push_status(
    view: &DeploymentView<'_>,
    claim: &Claim<'_>,
    held: Option<&Hold>,
    plan: &mut DeploymentPlan,
    now: Timestamp,
) {
    let deployment = view.deployment;
    let created = plan.actions.iter().find_map(|action| match action {
        DeploymentAction::CreateSet(set) => Some(set.name()),
        _ => None,
    });
    plan.requeue = plan.requeue.or(next_availability(view, claim, now));
    let wanted = status::status(view, claim, created, held, now);
    if let Some(left) = progress::deadline_left(deployment, held, now).filter(|left| !left.is_zero()) {
        plan.requeue = plan.requeue.or(Requeue::After(left + Duration::from_secs(1)));
    }
    if !is_worth_a_write(view, &wanted) {
        return;
    }
    match pace::rest(view.memory.status_written_at, now) {
        Some(rest) => plan.requeue = plan.requeue.or(Requeue::After(rest)),
        None => plan.actions.push(DeploymentAction::PatchStatus(Box::new(wanted))),
    }
}

/// Whether the status says something new. Gardener's own CRDs drop the selector from what is written: where that is all
/// there is to add, it is written once and not again.
fn is_worth_a_write(view: &DeploymentView<'_>, wanted: &MachineDeploymentStatus) -> bool {
    let before = &view.deployment.status;
    let without_selector = MachineDeploymentStatus { selector: before.selector.clone(), ..wanted.clone() };
    match view.memory.status_written_at {
        None => wanted != before,
        Some(_) => without_selector != *before,
    }
}
