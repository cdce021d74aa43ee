//! Machine deployments as samples.

use std::sync::Arc;

use millwright_api::{IntOrPercent, MachineDeployment, ObjectView, Rounding};

use super::families::{
    DEPLOYMENT_AVAILABLE, DEPLOYMENT_COLLISIONS, DEPLOYMENT_CONDITION, DEPLOYMENT_DEADLINE,
    DEPLOYMENT_FAILED_MACHINES, DEPLOYMENT_HISTORY_LIMIT, DEPLOYMENT_INFO, DEPLOYMENT_MAX_SURGE,
    DEPLOYMENT_MAX_UNAVAILABLE, DEPLOYMENT_MIN_READY_SECONDS, DEPLOYMENT_PAUSED, DEPLOYMENT_READY,
    DEPLOYMENT_REPLICAS, DEPLOYMENT_REPLICAS_WANTED, DEPLOYMENT_ROLLBACK, DEPLOYMENT_UNAVAILABLE,
    DEPLOYMENT_UPDATED, DEPLOYMENTS,
};
use super::machines::{count, created_at, once_each};
use super::sample_sheet::SampleSheet;
use super::sets::add_failed;

pub(super) fn add(sheet: &mut SampleSheet, deployments: &[Arc<MachineDeployment>]) {
    sheet.add(&DEPLOYMENTS, &[], count(deployments.len()));
    for deployment in deployments {
        add_one(sheet, deployment);
    }
}

fn add_one(sheet: &mut SampleSheet, deployment: &MachineDeployment) {
    let (spec, status) = (&deployment.spec, &deployment.status);
    let id = [deployment.name(), deployment.namespace()];
    sheet.add(&DEPLOYMENT_INFO, &[id[0], id[1], &created_at(deployment), &spec.strategy.type_], 1.0);
    sheet.add(&DEPLOYMENT_PAUSED, &id, f64::from(u8::from(spec.paused)));
    for (family, value) in [
        (&DEPLOYMENT_REPLICAS_WANTED, spec.replicas),
        (&DEPLOYMENT_MIN_READY_SECONDS, spec.min_ready_seconds),
        (&DEPLOYMENT_AVAILABLE, status.available_replicas),
        (&DEPLOYMENT_UNAVAILABLE, status.unavailable_replicas),
        (&DEPLOYMENT_READY, status.ready_replicas),
        (&DEPLOYMENT_UPDATED, status.updated_replicas),
        (&DEPLOYMENT_REPLICAS, status.replicas),
    ] {
        sheet.add(family, &id, f64::from(value));
    }
    let rolling = spec.strategy.rolling_update.as_ref();
    let resolved = |value: Option<&IntOrPercent>, rounding| value?.resolve(spec.replicas, rounding).ok();
    for (family, value) in [
        (&DEPLOYMENT_MAX_SURGE, resolved(rolling.and_then(|r| r.max_surge.as_ref()), Rounding::Up)),
        (
            &DEPLOYMENT_MAX_UNAVAILABLE,
            resolved(rolling.and_then(|r| r.max_unavailable.as_ref()), Rounding::Down),
        ),
        (&DEPLOYMENT_HISTORY_LIMIT, spec.revision_history_limit),
        (&DEPLOYMENT_DEADLINE, spec.progress_deadline_seconds),
        (&DEPLOYMENT_COLLISIONS, status.collision_count),
    ] {
        if let Some(value) = value {
            sheet.add(family, &id, f64::from(value));
        }
    }
    if let Some(rollback) = &spec.rollback_to {
        // A revision beyond what a float can hold exactly does not occur.
        #[expect(clippy::cast_precision_loss, reason = "metrics are floats")]
        sheet.add(&DEPLOYMENT_ROLLBACK, &id, rollback.revision as f64);
    }
    let conditions = status.conditions.iter().map(|found| (found.type_.as_str(), found.status.as_str()));
    for (type_, value) in once_each(conditions) {
        sheet.add(&DEPLOYMENT_CONDITION, &[id[0], id[1], type_], value);
    }
    add_failed(sheet, &DEPLOYMENT_FAILED_MACHINES, id, &status.failed_machines);
}
