//! The condition Progressing: how far the rollout is. Autoscalers of Gardener's kind shrink nothing unless it says
//! NewMachineSetAvailable or DeploymentPaused, so a deployment whose rollout is over keeps saying the former while it is
//! only scaled or replaces a machine.

use std::time::Duration;

use jiff::Timestamp;
use millwright_api::{ConditionStatus, MachineDeployment, MachineDeploymentStatus, ObjectView};

use super::claim::Claim;
use super::condition::{self, News, Saying};
use super::hold::Hold;
use super::status::{ROLLOUT_HELD, is_complete};
use super::{DeploymentView, Fences, SetFacts};
use crate::elapsed::elapsed;
use crate::spec_problem::spec_problem;

const PROGRESSING: &str = "Progressing";
const CREATED: &str = "NewMachineSetCreated";
const FOUND: &str = "FoundNewMachineSet";
const UPDATED: &str = "MachineSetUpdated";
const AVAILABLE: &str = "NewMachineSetAvailable";
const TIMED_OUT: &str = "ProgressDeadlineExceeded";
const NOT_CREATED: &str = "MachineSetCreateError";
const PAUSED: &str = "DeploymentPaused";
const RESUMED: &str = "DeploymentResumed";

/// Brings the condition up to date in a status of which the counts are.
pub(super) fn put(
    view: &DeploymentView<'_>,
    claim: &Claim<'_>,
    created: Option<&str>,
    held: Option<&Hold>,
    status: &mut MachineDeploymentStatus,
    now: Timestamp,
) {
    let Some((value, reason, message, news)) = verdict(view, claim, created, held, status, now) else {
        return;
    };
    let saying = Saying { status: value, reason, message: &message, news };
    condition::set(&mut status.conditions, PROGRESSING, &saying, now);
}

type Verdict = (ConditionStatus, &'static str, String, News);

/// What the condition says from now on; `None` when it stays.
fn verdict(
    view: &DeploymentView<'_>,
    claim: &Claim<'_>,
    created: Option<&str>,
    held: Option<&Hold>,
    status: &MachineDeploymentStatus,
    now: Timestamp,
) -> Option<Verdict> {
    use ConditionStatus::{False, True, Unknown};
    let deployment = view.deployment;
    let spec = &deployment.spec;
    if deployment.is_deleting() {
        return None;
    }
    if let Some(problem) = spec_problem(spec.replicas, spec.selector.as_ref(), &spec.template) {
        return Some((False, NOT_CREATED, problem, News::No));
    }
    let who = match &claim.newest {
        Some(newest) => format!("MachineSet {:?}", newest.set.name()),
        None => format!("Machine Deployment {:?}", deployment.name()),
    };
    let was =
        condition::find(&deployment.status.conditions, PROGRESSING).map_or("", |found| found.reason.as_str());
    if spec.paused {
        // That it was stuck stays to be seen.
        return (was != TIMED_OUT).then(|| (Unknown, PAUSED, "Deployment is paused".to_owned(), News::No));
    }
    if was == PAUSED {
        return Some((Unknown, RESUMED, "Deployment is resumed".to_owned(), News::Yes));
    }
    if is_complete(claim, Fences::of(deployment)) {
        return Some((True, AVAILABLE, format!("{who} has successfully progressed."), News::No));
    }
    if let Some(failure) = view.memory.create_failure.as_ref().filter(|_| claim.newest.is_none()) {
        return Some((False, NOT_CREATED, failure.clone(), News::No));
    }
    // A rollout that is over is not begun again by a scaling or a lost machine, nor by one that has to wait.
    if was == AVAILABLE && (held.is_some() || is_over(claim)) {
        return None;
    }
    if let Some(name) = created {
        return Some((True, CREATED, format!("Created new machine set {name:?}"), News::No));
    }
    let is_first = matches!(was, "" | NOT_CREATED);
    if let Some(newest) = claim.newest.as_ref().filter(|_| is_first) {
        return Some((True, FOUND, format!("Found new machine set {:?}", newest.set.name()), News::Yes));
    }
    let goes_on_again =
        held.is_none() && condition::find(&deployment.status.conditions, ROLLOUT_HELD).is_some();
    if has_moved(&deployment.status, status) || is_first || was == AVAILABLE || goes_on_again {
        return Some((True, UPDATED, format!("{who} is progressing."), News::Yes));
    }
    deadline_left(deployment, held, now)
        .filter(Duration::is_zero)
        .map(|_| (False, TIMED_OUT, format!("{who} has timed out progressing."), News::No))
}

/// All machines there are or may be are of the newest set.
fn is_over(claim: &Claim<'_>) -> bool {
    claim.newest.is_some() && claim.old.iter().map(SetFacts::room).all(|room| room == 0)
}

fn has_moved(before: &MachineDeploymentStatus, after: &MachineDeploymentStatus) -> bool {
    let old = |status: &MachineDeploymentStatus| status.replicas - status.updated_replicas;
    after.updated_replicas > before.updated_replicas
        || old(after) < old(before)
        || after.ready_replicas > before.ready_replicas
        || after.available_replicas > before.available_replicas
}

/// Whether the condition says already what is wrong with the spec.
pub(super) fn is_told(deployment: &MachineDeployment, problem: &str) -> bool {
    condition::find(&deployment.status.conditions, PROGRESSING).is_some_and(|found| found.message == problem)
}

/// Time left until the rollout counts as stuck; `None` without a deadline, when nothing goes on, and while it is held.
pub(super) fn deadline_left(
    deployment: &MachineDeployment,
    held: Option<&Hold>,
    now: Timestamp,
) -> Option<Duration> {
    let deadline = Duration::from_secs(u64::try_from(deployment.spec.progress_deadline_seconds?).ok()?);
    let condition = condition::find(&deployment.status.conditions, PROGRESSING)?;
    if held.is_some() || matches!(condition.reason.as_str(), AVAILABLE | PAUSED) {
        return None;
    }
    let since = condition.last_update_time.as_ref()?.0;
    Some(deadline.checked_sub(elapsed(since, now)).unwrap_or_default())
}
