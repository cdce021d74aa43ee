//! Tells the metrics how far a machine came, and how long that took.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::{Machine, MachinePhase, MachineStatus, ObjectView};
use millwright_decide::elapsed::elapsed;

use crate::Fleet;
use crate::metrics::{MachineLabels, Milestone};

/// The VM was made, or its last steps were done.
pub(super) fn reached(fleet: &Fleet, machine: &Machine, milestone: Milestone) {
    note(fleet, machine, milestone, machine.created_at());
}

/// A status was written: the machine may have joined with it, or failed to.
pub(super) fn written(fleet: &Fleet, machine: &Machine, status: &MachineStatus) {
    if machine.status.current_status.phase != MachinePhase::Pending {
        return;
    }
    match status.current_status.phase {
        MachinePhase::Running => note(fleet, machine, Milestone::Joined, machine.created_at()),
        MachinePhase::Failed => {
            if let Some(labels) = labels(fleet, machine) {
                fleet.parts.metrics.durations().failed_to_join(labels);
            }
        }
        _ => {}
    }
}

/// Nothing is left of the machine. Before it is forgotten: how long its drain took stands in the memory.
pub(super) fn gone(fleet: &Fleet, machine: &Machine) {
    note(fleet, machine, Milestone::Deleted, machine.deleted_at());
    let drain = fleet.memories.lock().machines.get(machine.uid()).and_then(|memory| {
        let (began, ended) = memory.drain.began_at.zip(memory.drain.ended_at)?;
        Some(elapsed(began, ended))
    });
    if let Some((took, labels)) = drain.zip(labels(fleet, machine)) {
        fleet.parts.metrics.durations().drained(labels, took);
    }
}

fn note(fleet: &Fleet, machine: &Machine, milestone: Milestone, since: Option<Timestamp>) {
    if let Some((since, labels)) = since.zip(labels(fleet, machine)) {
        let took: Duration = elapsed(since, fleet.now());
        fleet.parts.metrics.durations().reached(milestone, labels, took);
    }
}

fn labels(fleet: &Fleet, machine: &Machine) -> Option<MachineLabels> {
    fleet.with_index(|index| {
        MachineLabels::of(machine, index.class(&machine.spec.class.name).map(|class| &**class))
    })
}
