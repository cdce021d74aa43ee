//! Keeps failed machines of a set for somebody to look at, up to `spec.autoPreserveFailedMachineMax`.

use std::cmp::Reverse;

use millwright_api::keys::annotations::PRESERVE;
use millwright_api::{Machine, MachinePhase, ObjectView};

use super::{SetAction, SetView};
use crate::machine::{AUTOMATIC, is_automatic, may_be_kept_automatically};

/// How many machines of a set are kept automatically, those included that are on their way out.
pub(super) fn count(machines: &[&Machine]) -> usize {
    machines.iter().filter(|machine| is_automatic(machine)).count()
}

/// Which machines are to be kept from now on: while there is room, those that failed and of which nobody has said what
/// is to become of them, the youngest first.
pub(super) fn chosen<'a>(view: &SetView<'a>, machines: &[&'a Machine]) -> Vec<&'a Machine> {
    let room = limit(view).saturating_sub(count(machines));
    let mut candidates: Vec<&Machine> = machines
        .iter()
        .filter(|machine| has_just_failed(machine))
        .filter(|machine| may_be_kept_automatically(machine, view.failed_node(machine)))
        .copied()
        .collect();
    candidates.sort_by_key(|machine| (Reverse(machine.created_at()), machine.name()));
    candidates.truncate(room);
    candidates
}

/// The annotation that asks for a machine to be kept.
pub(super) fn ask(machine: &Machine) -> SetAction {
    SetAction::AnnotateMachine { name: machine.name().to_owned(), key: PRESERVE, value: Some(AUTOMATIC) }
}

/// Takes back what is above the limit, the oldest first.
pub(super) fn take_back(view: &SetView<'_>, machines: &[&Machine]) -> Vec<SetAction> {
    let surplus = count(machines).saturating_sub(limit(view));
    let mut kept: Vec<&Machine> =
        machines.iter().filter(|machine| is_automatic(machine) && !machine.is_deleting()).copied().collect();
    kept.sort_by_key(|machine| (machine.created_at(), machine.name()));
    kept.into_iter()
        .take(surplus)
        .map(|machine| SetAction::AnnotateMachine {
            name: machine.name().to_owned(),
            key: PRESERVE,
            value: None,
        })
        .collect()
}

/// It has failed, and was not kept since.
fn has_just_failed(machine: &Machine) -> bool {
    let status = &machine.status.current_status;
    status.phase == MachinePhase::Failed && status.preserve_expiry_time.is_none() && !machine.is_deleting()
}

fn limit(view: &SetView<'_>) -> usize {
    usize::try_from(view.set.spec.auto_preserve_failed_machine_max).unwrap_or(0)
}
