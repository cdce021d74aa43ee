//! Machine sets as samples.

use std::collections::BTreeSet;
use std::sync::Arc;

use millwright_api::{MachineSet, MachineSummary, ObjectView};

use super::families::{
    SET_AVAILABLE, SET_CONDITION, SET_FAILED_MACHINES, SET_INFO, SET_LABELLED, SET_MIN_READY_SECONDS,
    SET_READY, SET_REPLICAS, SET_REPLICAS_WANTED, SETS,
};
use super::machines::{count, created_at, once_each};
use super::sample_sheet::{GaugeFamily, SampleSheet};

pub(super) fn add(sheet: &mut SampleSheet, sets: &[Arc<MachineSet>]) {
    sheet.add(&SETS, &[], count(sets.len()));
    for set in sets {
        let (spec, status) = (&set.spec, &set.status);
        let id = [set.name(), set.namespace()];
        // The field at the top is not in use; the class stands in the template.
        let class = spec.machine_class.as_ref().unwrap_or(&spec.template.spec.class);
        let info = [id[0], id[1], &created_at(&**set), &class.api_group, &class.kind, &class.name];
        sheet.add(&SET_INFO, &info, 1.0);
        for (family, value) in [
            (&SET_REPLICAS_WANTED, spec.replicas),
            (&SET_MIN_READY_SECONDS, spec.min_ready_seconds),
            (&SET_AVAILABLE, status.available_replicas),
            (&SET_LABELLED, status.fully_labeled_replicas),
            (&SET_READY, status.ready_replicas),
            (&SET_REPLICAS, status.replicas),
        ] {
            sheet.add(family, &id, f64::from(value));
        }
        let conditions = status.conditions.iter().map(|found| (found.type_.as_str(), found.status.as_str()));
        for (type_, value) in once_each(conditions) {
            sheet.add(&SET_CONDITION, &[id[0], id[1], type_], value);
        }
        add_failed(sheet, &SET_FAILED_MACHINES, id, &status.failed_machines);
    }
}

/// Failed machines of a set or deployment, each once.
pub(super) fn add_failed(
    sheet: &mut SampleSheet,
    family: &'static GaugeFamily,
    [name, namespace]: [&str; 2],
    failed: &[MachineSummary],
) {
    let mut seen = BTreeSet::new();
    for machine in failed.iter().filter(|machine| seen.insert(&machine.name)) {
        let operation = &machine.last_operation;
        let (state, type_) = (operation.state.as_str(), operation.type_.as_str());
        let labels = [name, namespace, &machine.name, &machine.provider_id, &machine.owner_ref, state, type_];
        sheet.add(family, &labels, 1.0);
    }
}
