//! How much of a fleet is in work, and which rollouts wait, as samples.

use std::collections::BTreeMap;

use millwright_cluster::Fleet;

use super::families::{IN_WORK, ROLLOUTS_HELD};
use super::machines::count;
use super::sample_sheet::SampleSheet;

pub(super) fn add(sheet: &mut SampleSheet, fleet: &Fleet) {
    let namespace = fleet.namespace();
    for (name, in_work) in fleet.machines_in_work() {
        sheet.add(&IN_WORK, &[&name, namespace], f64::from(in_work));
    }
    let held = fleet.with_index(|index| {
        let mut held: BTreeMap<String, usize> = BTreeMap::new();
        for deployment in index.deployments() {
            let conditions = deployment.status.conditions.iter();
            for found in conditions.filter(|found| found.type_ == "RolloutHeld" && found.status == "True") {
                *held.entry(found.reason.clone()).or_default() += 1;
            }
        }
        held
    });
    for (reason, rollouts) in held {
        sheet.add(&ROLLOUTS_HELD, &[namespace, &reason], count(rollouts));
    }
}
