//! The next steps of a machine set.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::keys::{finalizers, labels};
use millwright_api::{Machine, MachinePhase, ObjectView};

use super::claim::{Claim, claim};
use super::new_machine::new_machine;
use super::{SetAction, SetFailure, SetView, auto_preservation, deletion_order, propagate, status};
use crate::backoff::Backoff;
use crate::elapsed::elapsed;
use crate::machine::is_kept;
use crate::spec_problem::spec_problem;
use crate::{NameSource, Requeue, pace};

/// Machines created or deleted in one pass; the next pass follows as soon as these are seen.
const BURST: usize = 500;
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
        push_status(&mut plan, view, &claimed.kept, None, now);
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
    let steps = scale(view, &counted, &chosen, names, now);
    do_or_wait(&mut plan, view, &claimed.kept, steps, now);
    plan.requeue = plan.requeue.or(next_expiry(&claimed.kept, now));
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
    now: Timestamp,
) {
    let failure = view.memory.failure.as_ref().filter(|_| !steps.is_empty());
    match must_wait(failure, now) {
        Some(wait) => plan.requeue = Requeue::After(wait),
        None => plan.actions.extend(steps),
    }
    push_status(plan, view, machines, failure, now);
}

fn releases(claimed: &Claim<'_>) -> impl Iterator<Item = SetAction> {
    claimed.strays.iter().map(|machine| SetAction::ReleaseMachine { name: machine.name().to_owned() })
}

fn must_wait(failure: Option<&SetFailure>, now: Timestamp) -> Option<Duration> {
    let failure = failure?;
    let left = RETRY.delay(failure.attempts.saturating_sub(1), 0.5).checked_sub(elapsed(failure.at, now))?;
    (!left.is_zero()).then_some(left)
}

fn is_active(machine: &Machine) -> bool {
    !machine.is_deleting() && machine.status.current_status.phase != MachinePhase::Terminating
}

/// Creates what is missing, or deletes what is too many and what has failed, but for what is kept or `chosen` to be.
fn scale(
    view: &SetView<'_>,
    machines: &[&Machine],
    chosen: &[&Machine],
    names: &mut dyn NameSource,
    now: Timestamp,
) -> Vec<SetAction> {
    let set = view.set;
    let active: Vec<&Machine> = machines.iter().filter(|machine| is_active(machine)).copied().collect();
    let wanted = usize::try_from(set.spec.replicas).unwrap_or(0);
    if active.len() < wanted {
        let frozen = set.label(labels::FREEZE) == Some("True");
        let held = set.label(labels::SCALE_UP_DISABLED) == Some("true");
        // After a failure one machine tries the ground; its success opens the gate again.
        let burst = if view.memory.failure.is_some() { 1 } else { BURST };
        let missing = if frozen || held { 0 } else { (wanted - active.len()).min(burst) };
        return (0..missing).map(|_| SetAction::CreateMachine(Box::new(new_machine(set, names)))).collect();
    }
    let surplus = active.len() - wanted;
    let has_failed = |machine: &Machine| {
        machine.status.current_status.phase == MachinePhase::Failed
            && !is_kept(machine, view.failed_node(machine), now)
            && !chosen.iter().any(|kept| kept.uid() == machine.uid())
    };
    if surplus == 0 && !active.iter().any(|machine| has_failed(machine)) {
        return Vec::new();
    }
    let mut ranked = active;
    deletion_order(&mut ranked, now);
    let failed = ranked.iter().skip(surplus).filter(|machine| has_failed(machine));
    ranked
        .iter()
        .take(surplus)
        .chain(failed)
        .take(BURST)
        .map(|machine| SetAction::DeleteMachine {
            name: machine.name().to_owned(),
            uid: machine.uid().to_owned(),
        })
        .collect()
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
        .take(BURST)
        .map(|machine| SetAction::DeleteMachine {
            name: machine.name().to_owned(),
            uid: machine.uid().to_owned(),
        })
        .collect();
    do_or_wait(&mut plan, view, machines, steps, now);
    plan
}

fn push_status(
    plan: &mut SetPlan,
    view: &SetView<'_>,
    machines: &[&Machine],
    failure: Option<&SetFailure>,
    now: Timestamp,
) {
    let wanted = status::status(view, machines, failure, now);
    if wanted == view.set.status {
        return;
    }
    // Counts move with every machine; one write for each second says enough.
    match pace::rest(view.memory.status_written_at, now) {
        Some(rest) => plan.requeue = plan.requeue.or(Requeue::After(rest)),
        None => plan.actions.push(SetAction::PatchStatus(Box::new(wanted))),
    }
}
