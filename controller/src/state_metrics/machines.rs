//! Machines as samples.

use std::collections::BTreeSet;
use std::sync::Arc;

use millwright_api::keys::labels;
use millwright_api::{ConditionStatus, Machine, MachinePhase, ObjectView};

use super::families::{MACHINE_CONDITION, MACHINE_INFO, MACHINE_PHASE, MACHINES};
use super::sample_sheet::SampleSheet;

pub(super) fn add(sheet: &mut SampleSheet, machines: &[Arc<Machine>]) {
    sheet.add(&MACHINES, &[], count(machines.len()));
    for machine in machines {
        let (name, namespace) = (machine.name(), machine.namespace());
        sheet.add(&MACHINE_PHASE, &[name, namespace], phase(&machine.status.current_status.phase));
        let class = &machine.spec.class;
        let node = machine.label(labels::NODE).unwrap_or_default();
        let info = [
            name,
            namespace,
            &created_at(&**machine),
            &machine.spec.provider_id,
            &class.api_group,
            &class.kind,
            &class.name,
            node,
        ];
        sheet.add(&MACHINE_INFO, &info, 1.0);
        let conditions = machine.status.conditions.iter();
        for (type_, value) in once_each(conditions.map(|found| (found.type_.as_str(), found.status.as_str())))
        {
            sheet.add(&MACHINE_CONDITION, &[name, namespace, type_], value);
        }
    }
}

fn phase(phase: &MachinePhase) -> f64 {
    match phase {
        MachinePhase::Terminating => -4.0,
        MachinePhase::Failed => -3.0,
        MachinePhase::CrashLoopBackOff => -2.0,
        MachinePhase::Unknown => -1.0,
        MachinePhase::Running => 1.0,
        MachinePhase::Empty
        | MachinePhase::Pending
        | MachinePhase::Available
        | MachinePhase::InPlaceUpdating
        | MachinePhase::InPlaceUpdateSuccessful
        | MachinePhase::InPlaceUpdateFailed
        | MachinePhase::Other(_) => 0.0,
    }
}

/// Conditions by type, with their numbers. The same type twice would be the same series twice, and would spoil the whole
/// scrape.
pub(super) fn once_each<'a>(conditions: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(&'a str, f64)> {
    let mut seen = BTreeSet::new();
    conditions
        .filter(|(type_, _)| seen.insert(*type_))
        .map(|(type_, status)| {
            let number = match status {
                _ if status == ConditionStatus::True.as_str() => 1.0,
                _ if status == ConditionStatus::False.as_str() => 0.0,
                _ => 2.0,
            };
            (type_, number)
        })
        .collect()
}

/// Seconds since 1970, as text.
pub(super) fn created_at(object: &impl ObjectView) -> String {
    object.created_at().map_or_else(String::new, |time| time.as_second().to_string())
}

pub(super) fn count(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}
