//! How many machines a set makes, and which ones it deletes.

use jiff::Timestamp;
use millwright_api::keys::labels;
use millwright_api::{Machine, MachinePhase, ObjectView};

use super::new_machine::new_machine;
use super::overshoot::Gate;
use super::replacement::{Replacement, is_being_born};
use super::{SetAction, SetView, deletion_order, marks};
use crate::NameSource;
use crate::machine::is_kept;

/// Machines created or deleted in one pass; the next pass follows as soon as these are seen.
pub(super) const BURST: usize = 500;

/// Neither being deleted nor about to be.
pub(super) fn is_active(machine: &Machine) -> bool {
    !machine.is_deleting() && machine.status.current_status.phase != MachinePhase::Terminating
}

/// Creates what is missing, or deletes what is too many, what was marked and what has failed, but for what is kept or
/// `chosen` to be. Never both at once.
pub(super) fn steps(
    view: &SetView<'_>,
    machines: &[&Machine],
    chosen: &[&Machine],
    gate: Gate,
    names: &mut dyn NameSource,
    now: Timestamp,
) -> Vec<SetAction> {
    let set = view.set;
    let wanted = usize::try_from(set.spec.replicas).unwrap_or(0);
    let active: Vec<&Machine> = machines.iter().filter(|machine| is_active(machine)).copied().collect();
    let has_failed = |machine: &Machine| {
        machine.status.current_status.phase == MachinePhase::Failed
            && !is_transferred(machine)
            && !is_kept(machine, view.failed_node(machine), now)
            && !chosen.iter().any(|kept| kept.uid() == machine.uid())
    };
    let failed = active.iter().filter(|machine| has_failed(machine)).count();
    let replacement = Replacement::of(view, machines);
    // As many good ones as are wanted, where a failed one that waits for its successor takes room of the surge.
    let most = wanted + replacement.room().min(failed);
    let missing =
        most.saturating_sub(active.len()).min(wanted.saturating_sub(active.len().saturating_sub(failed)));
    let is_held = gate == Gate::Shut || set.label(labels::SCALE_UP_DISABLED) == Some("true");
    if missing > 0 && !is_held {
        // After a failure one machine tries the ground; its success opens the gate again.
        let burst = if view.memory.failure.is_some() { 1 } else { BURST };
        return (0..missing.min(burst))
            .map(|_| SetAction::CreateMachine(Box::new(new_machine(set, names))))
            .collect();
    }
    let eligible = active.iter().filter(|machine| !is_transferred(machine));
    let births =
        eligible.clone().filter(|machine| !has_failed(machine) && is_being_born(view, machine, now)).count();
    let awaited = replacement.successors().min(failed).min(births);
    let surplus = eligible.clone().count().saturating_sub(wanted + awaited);
    let takes_failed = replacement == Replacement::DeleteFirst && active.len() >= wanted;
    let (marked, mut rest): (Vec<&Machine>, Vec<&Machine>) =
        active.iter().copied().partition(|machine| marks::is_marked(set, machine));
    rest.retain(|machine| !is_transferred(machine));
    // What was marked goes in any case; only what is too many beyond that is taken by rank.
    let surplus = surplus.saturating_sub(marked.iter().filter(|machine| !is_transferred(machine)).count());
    if surplus > 0 || takes_failed {
        deletion_order(&mut rest, now);
    }
    let failed = rest.iter().skip(surplus).filter(|machine| takes_failed && has_failed(machine));
    marked.iter().chain(rest.iter().take(surplus)).chain(failed).take(BURST).map(|m| delete(m)).collect()
}

pub(super) fn delete(machine: &Machine) -> SetAction {
    SetAction::DeleteMachine { name: machine.name().to_owned(), uid: machine.uid().to_owned() }
}

/// It has just come from the old set of an update in place, and this set's size does not count it yet.
fn is_transferred(machine: &Machine) -> bool {
    machine.label(labels::UPDATE_RESULT) == Some("successful")
}
