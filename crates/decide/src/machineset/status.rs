//! A set's status, counted from its machines.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::{
    Machine, MachineSet, MachineSetCondition, MachineSetStatus, ObjectView, selector_to_query,
};

use super::overshoot::{self, FreezeStep};
use super::{FailedStep, SetFailure, SetView, auto_preservation};
use crate::elapsed::whole_seconds;
use crate::spec_problem::spec_problem;
use crate::tally::Tally;

/// Type of the condition that says why machines can't be made or deleted.
const REPLICA_FAILURE: &str = "ReplicaFailure";

/// The status as it should be.
pub(super) fn status(
    view: &SetView<'_>,
    machines: &[&Machine],
    failure: Option<&SetFailure>,
    freeze: &FreezeStep,
    now: Timestamp,
) -> MachineSetStatus {
    let set = view.set;
    let fully_labeled = machines.iter().filter(|machine| overshoot::carries_template_labels(set, machine));
    let fully_labeled = i32::try_from(fully_labeled.count()).unwrap_or(i32::MAX);
    let tally = Tally::of(set, machines.iter().copied(), view.settings, now);
    let mut status = MachineSetStatus {
        replicas: tally.machines,
        fully_labeled_replicas: fully_labeled,
        ready_replicas: tally.ready,
        available_replicas: tally.available,
        preserved_failed_replicas: tally.preserved_failed,
        observed_generation: set.generation(),
        conditions: overshoot::conditions(conditions(set, failure, now), freeze, now),
        last_operation: set.status.last_operation.clone(),
        failed_machines: tally.failed,
        auto_preserve_failed_machine_count: i32::try_from(auto_preservation::count(machines))
            .unwrap_or(i32::MAX),
        selector: set.spec.selector.as_ref().map(selector_to_query).unwrap_or_default(),
    };
    if differ(&status, &set.status) {
        status.last_operation.last_update_time = Some(Time(whole_seconds(now)));
    }
    status
}

/// Whether there is anything to say. The selector, which is not in Gardener's own CRDs and would be pruned, is written
/// along; by itself only once, when this process has not written the status before.
pub(super) fn is_news(view: &SetView<'_>, wanted: &MachineSetStatus) -> bool {
    let before = &view.set.status;
    match view.memory.status_written_at {
        None => wanted != before,
        Some(_) => differ(wanted, before),
    }
}

fn differ(wanted: &MachineSetStatus, before: &MachineSetStatus) -> bool {
    MachineSetStatus { selector: before.selector.clone(), ..wanted.clone() } != *before
}

fn conditions(set: &MachineSet, failure: Option<&SetFailure>, now: Timestamp) -> Vec<MachineSetCondition> {
    let mut conditions: Vec<_> = set
        .status
        .conditions
        .iter()
        .filter(|condition| condition.type_ != REPLICA_FAILURE)
        .cloned()
        .collect();
    let spec = &set.spec;
    let problem = spec_problem(spec.replicas, spec.selector.as_ref(), &spec.template)
        .filter(|_| !set.is_deleting())
        .map(|text| (FailedStep::Create, text));
    let failed = failure.map(|failure| (failure.step, failure.message.clone()));
    if let Some((step, message)) = problem.or(failed) {
        let before = set.status.conditions.iter().find(|condition| condition.type_ == REPLICA_FAILURE);
        let since = before
            .filter(|before| before.is_true())
            .and_then(|before| before.last_transition_time.clone())
            .unwrap_or_else(|| Time(whole_seconds(now)));
        conditions.push(MachineSetCondition {
            type_: REPLICA_FAILURE.into(),
            status: "True".into(),
            reason: step.reason().into(),
            message,
            last_transition_time: Some(since),
        });
    }
    conditions
}
