//! In which order machines go in a scale-down.

use std::cmp::Ordering;

use jiff::Timestamp;
use millwright_api::keys::annotations::{
    CLUSTER_API_DELETE_MACHINE, MACHINE_PRIORITY, MARKED_FOR_DELETION_TIME,
};
use millwright_api::{Machine, MachinePhase, ObjectView};

use crate::machine::is_automatic;

/// Priority of a machine whose annotation is missing or unreadable.
const DEFAULT_PRIORITY: i32 = 3;

/// Sorts machines so that the first is deleted first: preserved ones last, then by priority, mark,
/// phase and age (Gardener's order). A machine that the upstream autoscaler chose has priority 1, and goes after those that
/// have it by their own annotation or were marked.
pub fn deletion_order(machines: &mut [&Machine], now: Timestamp) {
    machines.sort_by(|a, b| {
        preservation(a, now)
            .cmp(&preservation(b, now))
            .then_with(|| priority(a).cmp(&priority(b)))
            .then_with(|| earlier_first(marked(a), marked(b)))
            .then_with(|| is_candidate(a).cmp(&is_candidate(b)))
            .then_with(|| phase_rank(a).cmp(&phase_rank(b)))
            .then_with(|| a.created_at().cmp(&b.created_at()))
            .then_with(|| a.name().cmp(b.name()))
    });
}

/// Not preserved, then preserved automatically, then on purpose; each by earlier expiry.
fn preservation(machine: &Machine, now: Timestamp) -> (u8, Option<Timestamp>) {
    let expiry = machine.status.current_status.preserve_expiry_time.as_ref().map(|time| time.0);
    match expiry {
        Some(expiry) if expiry > now => (if is_automatic(machine) { 1 } else { 2 }, Some(expiry)),
        _ => (0, None),
    }
}

fn priority(machine: &Machine) -> i32 {
    let given = given_priority(machine);
    if machine.annotation(CLUSTER_API_DELETE_MACHINE).is_some() { given.min(1) } else { given }
}

fn given_priority(machine: &Machine) -> i32 {
    machine.annotation(MACHINE_PRIORITY).and_then(|text| text.parse().ok()).unwrap_or(DEFAULT_PRIORITY)
}

/// It has its priority by the upstream autoscaler's annotation alone, of which only the presence counts.
fn is_candidate(machine: &Machine) -> bool {
    priority(machine) < given_priority(machine)
}

fn marked(machine: &Machine) -> Option<Timestamp> {
    machine.annotation(MARKED_FOR_DELETION_TIME).and_then(|text| text.parse().ok())
}

fn earlier_first(a: Option<Timestamp>, b: Option<Timestamp>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}

fn phase_rank(machine: &Machine) -> u8 {
    match machine.status.current_status.phase {
        MachinePhase::Failed => 1,
        MachinePhase::CrashLoopBackOff => 2,
        MachinePhase::Unknown => 3,
        MachinePhase::Pending => 4,
        MachinePhase::Available => 5,
        MachinePhase::Running => 6,
        MachinePhase::Terminating
        | MachinePhase::Empty
        | MachinePhase::InPlaceUpdating
        | MachinePhase::InPlaceUpdateSuccessful
        | MachinePhase::InPlaceUpdateFailed
        | MachinePhase::Other(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

    fn machine(name: &str, phase: MachinePhase) -> Machine {
        let mut machine = Machine::default();
        machine.metadata.name = Some(name.into());
        machine.metadata.creation_timestamp = Some(Time(Timestamp::from_second(100).unwrap()));
        machine.status.current_status.phase = phase;
        machine
    }

    fn annotated(mut machine: Machine, key: &str, value: &str) -> Machine {
        machine.metadata.annotations.get_or_insert_default().insert(key.into(), value.into());
        machine
    }

    #[test]
    fn machines_go_by_preservation_priority_mark_phase_and_age() {
        let mut preserved = machine("preserved", MachinePhase::Failed);
        preserved.status.current_status.preserve_expiry_time =
            Some(Time(Timestamp::from_second(5000).unwrap()));
        let mut old = machine("old", MachinePhase::Running);
        old.metadata.creation_timestamp = Some(Time(Timestamp::from_second(1).unwrap()));
        let list = [
            preserved,
            machine("young", MachinePhase::Running),
            old,
            machine("pending", MachinePhase::Pending),
            machine("failed", MachinePhase::Failed),
            annotated(
                machine("marked", MachinePhase::Running),
                MARKED_FOR_DELETION_TIME,
                "2026-01-01T00:00:00Z",
            ),
            annotated(machine("low", MachinePhase::Running), MACHINE_PRIORITY, "1"),
            annotated(
                machine("candidate", MachinePhase::Unknown),
                CLUSTER_API_DELETE_MACHINE,
                "2026-01-01 00:00:00 +0000 UTC",
            ),
            annotated(machine("odd", MachinePhase::Unknown), MACHINE_PRIORITY, "high"),
        ];
        let mut order: Vec<&Machine> = list.iter().collect();
        deletion_order(&mut order, Timestamp::from_second(1000).unwrap());
        let names: Vec<&str> = order.iter().map(|m| m.name()).collect();
        assert_eq!(
            names,
            ["low", "candidate", "marked", "failed", "odd", "pending", "old", "young", "preserved"]
        );
    }

    #[test]
    fn a_machine_that_the_upstream_autoscaler_chose_goes_after_gardeners_marks_and_before_all_others() {
        let candidate =
            |name| annotated(machine(name, MachinePhase::Running), CLUSTER_API_DELETE_MACHINE, "");
        let low = |name, value| annotated(machine(name, MachinePhase::Running), MACHINE_PRIORITY, value);
        let list = [
            machine("a-failed", MachinePhase::Failed),
            low("b-two", "2"),
            annotated(candidate("c-candidate-of-priority-three"), MACHINE_PRIORITY, "3"),
            candidate("d-candidate"),
            low("e-one", "1"),
            annotated(low("f-marked", "1"), MARKED_FOR_DELETION_TIME, "2026-01-01T00:00:00Z"),
            low("g-zero", "0"),
        ];
        let mut order: Vec<&Machine> = list.iter().collect();
        deletion_order(&mut order, Timestamp::from_second(1000).unwrap());
        let names: Vec<&str> = order.iter().map(|m| m.name()).collect();
        let expected = [
            "g-zero",
            "f-marked",
            "e-one",
            "c-candidate-of-priority-three",
            "d-candidate",
            "b-two",
            "a-failed",
        ];
        assert_eq!(names, expected);
    }
}
