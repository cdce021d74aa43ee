//! A set's status, counted from its machines.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::{
    Machine, MachinePhase, MachineSet, MachineSetCondition, MachineSetStatus, MachineSummary, ObjectView,
    OperationState, selector_to_query,
};

use super::SetFailure;
use crate::elapsed::whole_seconds;
use crate::spec_problem::spec_problem;

/// Type of the condition that says why machines can't be made or deleted.
const REPLICA_FAILURE: &str = "ReplicaFailure";

/// The status as it should be.
pub(super) fn status(
    set: &MachineSet,
    machines: &[&Machine],
    failure: Option<&SetFailure>,
    now: Timestamp,
) -> MachineSetStatus {
    let phase = |machine: &Machine| machine.status.current_status.phase.clone();
    let count = |test: &dyn Fn(&Machine) -> bool| {
        i32::try_from(machines.iter().filter(|machine| test(machine)).count()).unwrap_or(i32::MAX)
    };
    let labels = set.spec.template.metadata.labels.as_ref();
    let preserved = |machine: &Machine| {
        phase(machine) == MachinePhase::Failed && machine.status.current_status.preserve_expiry_time.is_some()
    };
    let mut status = MachineSetStatus {
        replicas: count(&|_| true),
        fully_labeled_replicas: count(&|machine| {
            labels.into_iter().flatten().all(|(key, value)| machine.label(key) == Some(value))
        }),
        ready_replicas: count(&|machine| phase(machine) == MachinePhase::Running && !machine.is_deleting()),
        available_replicas: count(&|machine| {
            matches!(phase(machine), MachinePhase::Running | MachinePhase::Available)
                && !machine.is_deleting()
        }),
        preserved_failed_replicas: count(&preserved),
        observed_generation: set.generation(),
        conditions: conditions(set, failure, now),
        last_operation: set.status.last_operation.clone(),
        failed_machines: failed(set, machines),
        auto_preserve_failed_machine_count: set.status.auto_preserve_failed_machine_count,
        selector: set.spec.selector.as_ref().map(selector_to_query).unwrap_or_default(),
    };
    if status != set.status {
        status.last_operation.last_update_time = Some(Time(whole_seconds(now)));
    }
    status
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
        .map(|text| ("FailedCreate", text));
    let failed = failure.map(|failure| (failure.reason, failure.message.clone()));
    if let Some((reason, message)) = problem.or(failed) {
        let before = set.status.conditions.iter().find(|condition| condition.type_ == REPLICA_FAILURE);
        let since = before
            .filter(|before| before.is_true())
            .and_then(|before| before.last_transition_time.clone())
            .unwrap_or_else(|| Time(whole_seconds(now)));
        conditions.push(MachineSetCondition {
            type_: REPLICA_FAILURE.into(),
            status: "True".into(),
            reason: reason.into(),
            message,
            last_transition_time: Some(since),
        });
    }
    conditions
}

fn failed(set: &MachineSet, machines: &[&Machine]) -> Vec<MachineSummary> {
    let mut failed: Vec<MachineSummary> = machines
        .iter()
        .filter(|machine| machine.status.last_operation.state == OperationState::Failed)
        .filter(|machine| machine.status.current_status.preserve_expiry_time.is_none())
        .map(|machine| MachineSummary {
            name: machine.name().to_owned(),
            provider_id: machine.spec.provider_id.clone(),
            last_operation: machine.status.last_operation.clone(),
            owner_ref: set.name().to_owned(),
        })
        .collect();
    failed.sort_by(|a, b| a.name.cmp(&b.name));
    failed
}
