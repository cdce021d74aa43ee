//! A deployment's status: its counts, and whether enough machines are available. How far a rollout is, is told by
//! [`super::progress`].

use jiff::Timestamp;
use millwright_api::{
    ConditionStatus, DeploymentCondition, MachineDeploymentStatus, ObjectView, selector_to_query,
};

use super::claim::Claim;
use super::condition::{self, News, Saying};
use super::hold::Hold;
use super::{DeploymentView, Fences, SetFacts, freeze_label, in_place, new_set, progress};
use crate::elapsed::whole_seconds;

const AVAILABLE: &str = "Available";
const REPLICA_FAILURE: &str = "ReplicaFailure";
/// Type of the condition that is there while something holds the rollout.
pub(super) const ROLLOUT_HELD: &str = "RolloutHeld";

/// Whether the rollout is done: every machine is of the newest set, available, and no old one lingers.
pub(super) fn is_complete(claim: &Claim<'_>, fences: Fences) -> bool {
    let all: i32 = claim.all().map(|facts| facts.machines).sum();
    let is_full = claim.newest.as_ref().is_some_and(|newest| {
        newest.machines == fences.replicas && newest.available == fences.replicas && all == fences.replicas
    });
    is_full && !in_place::is_underway(claim)
}

/// The status as it should be; `created` is the set that is made now, `held` what the rollout waits for.
pub(super) fn status(
    view: &DeploymentView<'_>,
    claim: &Claim<'_>,
    created: Option<&str>,
    held: Option<&Hold>,
    now: Timestamp,
) -> MachineDeploymentStatus {
    let deployment = view.deployment;
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
    if new_set::is_name_taken(deployment, view.memory) {
        status.collision_count = Some(before.collision_count.unwrap_or(0) + 1);
    }
    let now = whole_seconds(now);
    let enough = (Fences::of(deployment).fewest() - status.preserved_failed_replicas).max(0);
    condition::set(&mut status.conditions, AVAILABLE, &availability(available >= enough), now);
    progress::put(view, claim, created, held, &mut status, now);
    let failure = claim
        .all()
        .flat_map(|facts| &facts.set.status.conditions)
        .find(|condition| condition.type_ == REPLICA_FAILURE && condition.is_true());
    let failure = failure.map(|found| says(&found.reason, &found.message));
    show_while(failure, REPLICA_FAILURE, &mut status.conditions, now);
    show_while(held.map(|hold| says(hold.reason, &hold.message)), ROLLOUT_HELD, &mut status.conditions, now);
    freeze_label::show(deployment, claim, &mut status.conditions, now);
    status
}

fn availability(is_available: bool) -> Saying<'static> {
    let (status, reason, message) = if is_available {
        (ConditionStatus::True, "MinimumReplicasAvailable", "Deployment has minimum availability.")
    } else {
        (
            ConditionStatus::False,
            "MinimumReplicasUnavailable",
            "Deployment does not have minimum availability.",
        )
    };
    Saying { status, reason, message, news: News::No }
}

fn says<'a>(reason: &'a str, message: &'a str) -> Saying<'a> {
    Saying { status: ConditionStatus::True, reason, message, news: News::No }
}

/// Shows a condition as long as there is something to say, and drops it then.
fn show_while(
    saying: Option<Saying<'_>>,
    type_: &str,
    conditions: &mut Vec<DeploymentCondition>,
    now: Timestamp,
) {
    match saying {
        Some(saying) => condition::set(conditions, type_, &saying, now),
        None => conditions.retain(|condition| condition.type_ != type_),
    }
}
