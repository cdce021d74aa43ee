//! The order in which machines go, for any machines.

use millwright_api::keys::annotations::{
    CLUSTER_API_DELETE_MACHINE, MACHINE_PRIORITY, MARKED_FOR_DELETION_TIME, PRESERVE,
};
use millwright_api::{Machine, MachinePhase, ObjectView};
use millwright_decide::machineset::deletion_order;
use proptest::prelude::*;

use crate::fixtures::machine::annotated;
use crate::fixtures::set::{deletions, member, planned, set};
use crate::fixtures::time::{at, time};

const PHASES: [MachinePhase; 11] = [
    MachinePhase::Empty,
    MachinePhase::Pending,
    MachinePhase::Available,
    MachinePhase::Running,
    MachinePhase::Terminating,
    MachinePhase::Unknown,
    MachinePhase::Failed,
    MachinePhase::CrashLoopBackOff,
    MachinePhase::InPlaceUpdating,
    MachinePhase::InPlaceUpdateSuccessful,
    MachinePhase::InPlaceUpdateFailed,
];

fn machine() -> impl Strategy<Value = Machine> {
    let phase = prop::sample::select(PHASES.to_vec());
    let annotation = |key: &'static str, values: &[&'static str]| {
        prop::option::weighted(0.3, prop::sample::select(values.to_vec()))
            .prop_map(move |value| value.map(|value| (key, value)))
    };
    (
        phase,
        0..5_i64,
        prop::option::weighted(0.3, 0..200_i64),
        annotation(MACHINE_PRIORITY, &["1", "2", "3", "9", "-4", "high"]),
        annotation(MARKED_FOR_DELETION_TIME, &["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "soon"]),
        annotation(CLUSTER_API_DELETE_MACHINE, &["2026-01-01 00:00:00 +0000 UTC"]),
        annotation(PRESERVE, &["now", "auto-preserved"]),
    )
        .prop_map(|(phase, age, kept_until, priority, mark, candidate, preserve)| {
            let mut machine = member("m", phase);
            machine.metadata.creation_timestamp = time(age);
            machine.status.current_status.preserve_expiry_time = kept_until.and_then(time);
            for (key, value) in [priority, mark, candidate, preserve].into_iter().flatten() {
                machine = annotated(machine, key, value);
            }
            machine
        })
}

fn machines() -> impl Strategy<Value = Vec<Machine>> {
    prop::collection::vec(machine(), 0..12).prop_map(|mut machines| {
        for (number, machine) in machines.iter_mut().enumerate() {
            machine.metadata.name = Some(format!("m{number:02}"));
            machine.metadata.uid = Some(format!("uid-m{number:02}"));
        }
        machines
    })
}

fn ranked(machines: &[Machine]) -> Vec<&str> {
    let mut order: Vec<&Machine> = machines.iter().collect();
    deletion_order(&mut order, at(100));
    order.into_iter().map(|machine| machine.name()).collect()
}

fn is_kept(machine: &Machine) -> bool {
    machine.status.current_status.preserve_expiry_time.as_ref().is_some_and(|expiry| expiry.0 > at(100))
}

fn priority(machine: &Machine) -> i32 {
    let given = machine.annotation(MACHINE_PRIORITY).and_then(|text| text.parse().ok()).unwrap_or(3);
    if machine.annotation(CLUSTER_API_DELETE_MACHINE).is_some() { given.min(1) } else { given }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_is_the_same_however_the_machines_come(machines in machines(), turn in 0..12_usize) {
        let mut turned = machines.clone();
        let middle = turn.min(turned.len());
        turned.rotate_left(middle);
        prop_assert_eq!(ranked(&machines), ranked(&turned));
    }

    #[test]
    fn kept_machines_go_last_and_among_equals_the_lower_priority_first(machines in machines()) {
        let mut order: Vec<&Machine> = machines.iter().collect();
        deletion_order(&mut order, at(100));
        for pair in order.windows(2) {
            prop_assert!(is_kept(pair[0]) <= is_kept(pair[1]));
            if !is_kept(pair[0]) && !is_kept(pair[1]) {
                prop_assert!(priority(pair[0]) <= priority(pair[1]));
            }
        }
    }

    #[test]
    fn a_smaller_cut_is_the_beginning_of_a_larger_one(machines in machines(), size in 0..12_i32) {
        let active: Vec<Machine> = machines
            .into_iter()
            .filter(|machine| {
                !matches!(
                    machine.status.current_status.phase,
                    MachinePhase::Terminating | MachinePhase::Failed
                )
            })
            .collect();
        let count = i32::try_from(active.len()).unwrap();
        let smaller = planned(&set(size.min(count)), &active);
        let larger = planned(&set((size - 1).clamp(0, count)), &active);
        let (smaller, larger) = (deletions(&smaller), deletions(&larger));
        prop_assert_eq!(i32::try_from(smaller.len()).unwrap(), count - size.min(count));
        prop_assert_eq!(&larger[..smaller.len()], &smaller[..]);
    }
}

/// As in Go, where they have no rank of their own and so the lowest.
#[test]
fn machines_in_a_phase_of_an_update_in_place_or_in_none_go_before_failed_ones() {
    use MachinePhase::{Empty, InPlaceUpdateFailed, InPlaceUpdateSuccessful, InPlaceUpdating};
    for phase in [Empty, InPlaceUpdating, InPlaceUpdateSuccessful, InPlaceUpdateFailed] {
        let list = [member("failed", MachinePhase::Failed), member("young", phase.clone())];
        assert_eq!(ranked(&list), ["young", "failed"], "{phase:?}");
    }
}
