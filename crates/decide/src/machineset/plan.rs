//! The next steps of a machine set.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::keys::finalizers;
use millwright_api::{Machine, MachinePhase, ObjectView};

use super::claim::{Claim, claim};
use super::overshoot::{self, FreezeStep};
use super::{FailedStep, SetAction, SetFailure, SetView, auto_preservation, propagate, scale, status};
use crate::availability::next_available;
use crate::backoff::Backoff;
use crate::elapsed::elapsed;
use crate::spec_problem::spec_problem;
use crate::{NameSource, Requeue, pace};

/// How long a set waits after a creation or deletion failed.
const RETRY: Backoff = Backoff { base: Duration::from_secs(1), factor: 2.0, max: Duration::from_secs(60) };

/// The answer of a decision about a machine set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetPlan {
    /// What to do. Creations and deletions may be done in parallel.
    pub actions: Vec<SetAction>,
    /// When to look again if nothing happens.
    pub requeue: Requeue,
}

/// The plan for a set as it stands now.
pub fn plan(view: &SetView<'_>, names: &mut dyn NameSource, now: Timestamp) -> SetPlan {
    let set = view.set;
    if view.freeze.is_frozen() {
        return SetPlan::default();
    }
    let claimed = claim(set, &view.machines);
    if set.is_deleting() {
        return delete_all(view, &claimed, now);
    }
    if spec_problem(set.spec.replicas, set.spec.selector.as_ref(), &set.spec.template).is_some() {
        let mut plan = SetPlan::default();
        push_status(&mut plan, view, &claimed.kept, None, FreezeStep::Rest, now);
        return plan;
    }
    if !set.has_finalizer(finalizers::MACHINE) {
        let list = set.finalizers_with(finalizers::MACHINE);
        return SetPlan { actions: vec![SetAction::SetFinalizers(list)], ..SetPlan::default() };
    }
    let mut plan = SetPlan::default();
    plan.actions.extend(releases(&claimed));
    plan.actions.extend(
        claimed.adoptable.iter().map(|machine| SetAction::AdoptMachine { name: machine.name().to_owned() }),
    );
    plan.actions.extend(
        claimed
            .kept
            .iter()
            .filter_map(|machine| propagate::patch(set, machine))
            .map(|patch| SetAction::UpdateMachine(Box::new(patch))),
    );
    // An adopted machine counts before it is ours on paper: otherwise one too many is created.
    let mut counted = claimed.kept.clone();
    counted.extend(&claimed.adoptable);
    let chosen = auto_preservation::chosen(view, &claimed.kept);
    plan.actions.extend(chosen.iter().map(|machine| auto_preservation::ask(machine)));
    plan.actions.extend(auto_preservation::take_back(view, &claimed.kept));
    let overshoot = overshoot::judge(view, &claimed.kept);
    let steps = scale::steps(view, &counted, &chosen, overshoot.gate, names, now);
    do_or_wait(&mut plan, view, &claimed.kept, steps, overshoot.step, now);
    let min_ready = set.spec.min_ready_seconds;
    plan.requeue = plan.requeue.or(overshoot.requeue).or(next_expiry(&claimed.kept, now)).or(next_available(
        claimed.kept.iter().copied(),
        min_ready,
        view.settings.min_ready,
        now,
    ));
    plan
}

/// When the first of the failed machines is not kept any longer.
fn next_expiry(machines: &[&Machine], now: Timestamp) -> Requeue {
    let failed = machines.iter().map(|machine| &machine.status.current_status);
    failed
        .filter(|status| status.phase == MachinePhase::Failed)
        .filter_map(|status| status.preserve_expiry_time.as_ref())
        .filter(|expiry| expiry.0 > now)
        .map(|expiry| elapsed(now, expiry.0))
        .min()
        .map_or(Requeue::OnChange, Requeue::After)
}

/// Does the steps, or waits after a failure; and says in the status what holds. A failure to do what is not
/// wanted any more is none.
fn do_or_wait(
    plan: &mut SetPlan,
    view: &SetView<'_>,
    machines: &[&Machine],
    steps: Vec<SetAction>,
    freeze: FreezeStep,
    now: Timestamp,
) {
    let failure =
        view.memory.failure.as_ref().filter(|failure| steps.iter().any(|step| failed_like(step, failure)));
    match failure.and_then(|failure| must_wait(failure, now)) {
        Some(wait) => plan.requeue = Requeue::After(wait),
        None => plan.actions.extend(steps),
    }
    push_status(plan, view, machines, failure, freeze, now);
}

/// The step is of the sort that failed: what could not be made says nothing of what is to go.
fn failed_like(step: &SetAction, failure: &SetFailure) -> bool {
    match step {
        SetAction::CreateMachine(_) => failure.step == FailedStep::Create,
        SetAction::DeleteMachine { .. } => failure.step == FailedStep::Delete,
        _ => false,
    }
}

fn releases(claimed: &Claim<'_>) -> impl Iterator<Item = SetAction> {
    claimed.strays.iter().map(|machine| SetAction::ReleaseMachine { name: machine.name().to_owned() })
}

/// How long nothing is tried after a failure.
pub(super) fn must_wait(failure: &SetFailure, now: Timestamp) -> Option<Duration> {
    let left = RETRY.delay(failure.attempts.saturating_sub(1), 0.5).checked_sub(elapsed(failure.at, now))?;
    (!left.is_zero()).then_some(left)
}

/// Deletes what the set has. A machine that was taken out of it is released first: owned by a set that is
/// gone, it would be collected as garbage.
fn delete_all(view: &SetView<'_>, claimed: &Claim<'_>, now: Timestamp) -> SetPlan {
    let set = view.set;
    let machines = claimed.kept.as_slice();
    let mut plan = SetPlan { actions: releases(claimed).collect(), ..SetPlan::default() };
    if machines.is_empty() && claimed.strays.is_empty() {
        if set.has_finalizer(finalizers::MACHINE) {
            plan.actions.push(SetAction::SetFinalizers(set.finalizers_without(finalizers::MACHINE)));
        }
        return plan;
    }
    let steps = machines
        .iter()
        .filter(|machine| !machine.is_deleting())
        .take(scale::BURST)
        .map(|machine| scale::delete(machine))
        .collect();
    do_or_wait(&mut plan, view, machines, steps, FreezeStep::Rest, now);
    plan
}

fn push_status(
    plan: &mut SetPlan,
    view: &SetView<'_>,
    machines: &[&Machine],
    failure: Option<&SetFailure>,
    freeze: FreezeStep,
    now: Timestamp,
) {
    let wanted = status::status(view, machines, failure, &freeze, now);
    match freeze {
        // Told at once: the machines that are too many may be gone in a moment.
        FreezeStep::Freeze { .. } => return plan.actions.push(SetAction::Freeze(Box::new(wanted))),
        FreezeStep::Unfreeze => return plan.actions.push(SetAction::Unfreeze(Box::new(wanted))),
        FreezeStep::Mark(marks) => plan.actions.push(SetAction::MarkSet(marks)),
        FreezeStep::Rest => {}
    }
    if !status::is_news(view, &wanted) {
        return;
    }
    // Counts move with every machine; one write for each second says enough.
    match pace::rest(view.memory.status_written_at, now) {
        Some(rest) => plan.requeue = plan.requeue.or(Requeue::After(rest)),
        None => plan.actions.push(SetAction::PatchStatus(Box::new(wanted))),
    }
}
