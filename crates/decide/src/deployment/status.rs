//! A deployment's status and its two conditions.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::{
    ConditionStatus, DeploymentCondition, MachineDeployment, MachineDeploymentStatus, ObjectView,
    selector_to_query,
};

use super::claim::Claim;
use super::{DeploymentMemory, Fences, SetFacts, new_set};
use crate::elapsed::{elapsed, whole_seconds};
use crate::spec_problem::spec_problem;

const AVAILABLE: &str = "Available";
const PROGRESSING: &str = "Progressing";
const REPLICA_FAILURE: &str = "ReplicaFailure";

/// Whether the rollout is done: every machine is of the newest set, available, and no old one lingers.
pub(super) fn is_complete(claim: &Claim<'_>, fences: Fences) -> bool {
    let all: i32 = claim.all().map(|facts| facts.machines).sum();
    claim.newest.as_ref().is_some_and(|newest| {
        newest.machines == fences.replicas && newest.available == fences.replicas && all == fences.replicas
    })
}

/// The status as it should be.
pub(super) fn status(
    deployment: &MachineDeployment,
    claim: &Claim<'_>,
    memory: &DeploymentMemory,
    fences: Fences,
    now: Timestamp,
) -> MachineDeploymentStatus {
    let sum = |count: fn(&SetFacts<'_>) -> i32| claim.all().map(count).sum::<i32>();
    let available = sum(|facts| facts.available);
    let before = &deployment.status;
    let mut status = MachineDeploymentStatus {
        observed_generation: deployment.generation(),
        replicas: sum(|facts| facts.machines),
        updated_replicas: claim.newest.as_ref().map_or(0, |facts| facts.machines),
        ready_replicas: sum(|facts| facts.ready),
        available_replicas: available,
        preserved_failed_replicas: sum(|facts| facts.preserved_failed),
        unavailable_replicas: (sum(|facts| facts.set.spec.replicas) - available).max(0),
        conditions: before.conditions.clone(),
        collision_count: before.collision_count,
        failed_machines: claim.all().flat_map(|facts| facts.failed.iter().cloned()).collect(),
        selector: deployment.spec.selector.as_ref().map(selector_to_query).unwrap_or_default(),
    };
    if new_set::is_name_taken(deployment, memory) {
        status.collision_count = Some(before.collision_count.unwrap_or(0) + 1);
    }
    let now = whole_seconds(now);
    let enough = (fences.fewest() - status.preserved_failed_replicas).max(0);
    let is_available = available >= enough;
    set_condition(
        &mut status.conditions,
        AVAILABLE,
        if is_available { ConditionStatus::True } else { ConditionStatus::False },
        if is_available { "MinimumReplicasAvailable" } else { "MinimumReplicasUnavailable" },
        if is_available {
            "Deployment has minimum availability."
        } else {
            "Deployment does not have minimum availability."
        },
        News::No,
        now,
    );
    progressing(deployment, claim, memory, fences, &mut status, now);
    replica_failure(claim, &mut status, now);
    status
}

/// Shows why a set can't make or delete its machines, and nothing as soon as every set can.
fn replica_failure(claim: &Claim<'_>, status: &mut MachineDeploymentStatus, now: Timestamp) {
    let failing = claim
        .all()
        .flat_map(|facts| &facts.set.status.conditions)
        .find(|condition| condition.type_ == REPLICA_FAILURE && condition.is_true());
    match failing {
        Some(found) => set_condition(
            &mut status.conditions,
            REPLICA_FAILURE,
            ConditionStatus::True,
            &found.reason,
            &found.message,
            News::No,
            now,
        ),
        None => status.conditions.retain(|condition| condition.type_ != REPLICA_FAILURE),
    }
}

/// Whether a condition's update time must move although it says what it said.
#[derive(Clone, Copy, PartialEq, Eq)]
enum News {
    Yes,
    No,
}

fn progressing(
    deployment: &MachineDeployment,
    claim: &Claim<'_>,
    memory: &DeploymentMemory,
    fences: Fences,
    status: &mut MachineDeploymentStatus,
    now: Timestamp,
) {
    let name = claim.newest.as_ref().map_or_else(|| deployment.name(), |newest| newest.set.name());
    let before = deployment.status.conditions.iter().find(|condition| condition.type_ == PROGRESSING);
    let was = before.map_or("", |condition| condition.reason.as_str());
    let moved = made_progress(&deployment.status, status);
    let spec = &deployment.spec;
    let problem = spec_problem(spec.replicas, spec.selector.as_ref(), &spec.template);
    let (value, reason, message, news) = if let Some(problem) = problem.filter(|_| !deployment.is_deleting())
    {
        (ConditionStatus::False, "MachineSetCreateError", problem, News::No)
    } else if is_complete(claim, fences) {
        let message = format!("Machine set {name:?} has successfully progressed.");
        (ConditionStatus::True, "NewMachineSetAvailable", message, News::No)
    } else if deployment.spec.paused {
        (ConditionStatus::Unknown, "DeploymentPaused", "Deployment is paused".to_owned(), News::No)
    } else if let Some(failure) = memory.create_failure.as_ref().filter(|_| claim.newest.is_none()) {
        (ConditionStatus::False, "MachineSetCreateError", failure.clone(), News::No)
    } else if was == "DeploymentPaused" {
        (ConditionStatus::Unknown, "DeploymentResumed", "Deployment is resumed".to_owned(), News::Yes)
    } else if moved == News::Yes || matches!(was, "" | "NewMachineSetAvailable" | "MachineSetCreateError") {
        let created = matches!(was, "" | "MachineSetCreateError") && deployment.status.replicas == 0;
        let (reason, message) = if created {
            ("NewMachineSetCreated", format!("Created new machine set {name:?}"))
        } else {
            ("MachineSetUpdated", format!("Machine set {name:?} is progressing."))
        };
        (ConditionStatus::True, reason, message, News::Yes)
    } else if deadline_left(deployment, now).is_some_and(|left| left.is_zero()) {
        let message = format!("Machine set {name:?} has timed out progressing.");
        (ConditionStatus::False, "ProgressDeadlineExceeded", message, News::No)
    } else {
        return;
    };
    set_condition(&mut status.conditions, PROGRESSING, value, reason, &message, news, now);
}

fn made_progress(before: &MachineDeploymentStatus, after: &MachineDeploymentStatus) -> News {
    let old = |status: &MachineDeploymentStatus| status.replicas - status.updated_replicas;
    let moved = after.updated_replicas > before.updated_replicas
        || old(after) < old(before)
        || after.ready_replicas > before.ready_replicas
        || after.available_replicas > before.available_replicas;
    if moved { News::Yes } else { News::No }
}

/// Time left until the rollout counts as stuck; `None` without a deadline or when nothing goes on.
pub(super) fn deadline_left(deployment: &MachineDeployment, now: Timestamp) -> Option<Duration> {
    let deadline = Duration::from_secs(u64::try_from(deployment.spec.progress_deadline_seconds?).ok()?);
    let condition = deployment.status.conditions.iter().find(|condition| condition.type_ == PROGRESSING)?;
    if matches!(condition.reason.as_str(), "NewMachineSetAvailable" | "DeploymentPaused") {
        return None;
    }
    let since = condition.last_update_time.as_ref()?.0;
    Some(deadline.checked_sub(elapsed(since, now)).unwrap_or_default())
}

fn set_condition(
    conditions: &mut Vec<DeploymentCondition>,
    type_: &str,
    status: ConditionStatus,
    reason: &str,
    message: &str,
    news: News,
    now: Timestamp,
) {
    let found = conditions.iter_mut().find(|condition| condition.type_ == type_);
    let Some(condition) = found else {
        conditions.push(DeploymentCondition {
            type_: type_.to_owned(),
            status: status.as_str().to_owned(),
            reason: reason.to_owned(),
            message: message.to_owned(),
            last_update_time: Some(Time(now)),
            last_transition_time: Some(Time(now)),
        });
        return;
    };
    if condition.status != status.as_str() {
        condition.status = status.as_str().to_owned();
        condition.last_transition_time = Some(Time(now));
        condition.last_update_time = Some(Time(now));
    }
    if condition.reason != reason || condition.message != message || news == News::Yes {
        reason.clone_into(&mut condition.reason);
        message.clone_into(&mut condition.message);
        condition.last_update_time = Some(Time(now));
    }
}
