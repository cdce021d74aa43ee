//! Freezes a set that has far more machines than it may have, and lets it go again.
//!
//! Three things tell of a freeze: the condition `Frozen` is our own judgement, the label `freeze` is what everybody looks
//! at, and the events belong to the write of the condition. So the condition comes first and goes last, and each pass
//! makes one step: after a crash anywhere between them the next look goes on where it stands, and nothing is told twice.
//! A label without the condition was put there by a user and stays until the user, or the annotation that asks to
//! unfreeze, takes it away.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::keys::{annotations, labels};
use millwright_api::{Machine, MachineDeployment, MachineSet, MachineSetCondition, ObjectView};

use super::{SetMarks, SetView};
use crate::deployment::Fences;
use crate::elapsed::whole_seconds;
use crate::{OvershootRule, Requeue};

/// Type of the condition on sets and deployments.
pub(crate) const FROZEN: &str = "Frozen";

/// The shortest time between two looks at a frozen set, whatever the flag says.
const LEAST_PERIOD: std::time::Duration = std::time::Duration::from_millis(100);

/// What a pass does about the freeze.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FreezeStep {
    /// Nothing.
    Rest,
    /// The condition comes, and is told.
    Freeze {
        /// Why, for people.
        message: String,
    },
    /// The condition goes, and is told.
    Unfreeze,
    /// The label or the annotation follows.
    Mark(SetMarks),
}

/// Whether a set may make machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gate {
    /// As many as it wants.
    Open,
    /// None.
    Shut,
}

/// How it stands with the freeze of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Overshoot {
    pub(super) step: FreezeStep,
    pub(super) gate: Gate,
    /// When to look again: what froze it may end without a word.
    pub(super) requeue: Requeue,
}

/// Judges the machines that a set owns.
pub(super) fn judge(view: &SetView<'_>, owned: &[&Machine]) -> Overshoot {
    let set = view.set;
    let limits = Limits::of(view);
    let counted = owned.iter().filter(|machine| carries_template_labels(set, machine));
    let count = i64::try_from(counted.clone().count()).unwrap_or(i64::MAX);
    let staying = counted.filter(|machine| super::scale::is_active(machine)).count();
    let staying = i64::try_from(staying).unwrap_or(i64::MAX);
    let is_labelled = set.label(labels::FREEZE) == Some("True");
    let is_judged = is_judged_frozen(set);
    let is_asked = set.annotation(annotations::UNFREEZE).is_some();
    let step = match (is_asked, is_labelled, is_judged) {
        (true, true, true) => FreezeStep::Mark(SetMarks::label(labels::FREEZE, None)),
        (true, true, false) => FreezeStep::Mark(
            SetMarks::label(labels::FREEZE, None).and_annotation(annotations::UNFREEZE, None),
        ),
        (true, false, true) => FreezeStep::Unfreeze,
        (true, false, false) => {
            FreezeStep::Mark(SetMarks::default().and_annotation(annotations::UNFREEZE, None))
        }
        (false, false, false) if count >= limits.high => {
            FreezeStep::Freeze { message: limits.message(set.name(), count) }
        }
        (false, true, true) if count <= limits.low => FreezeStep::Mark(SetMarks::label(labels::FREEZE, None)),
        // Either the label was just taken off, or it was to come and the machines went first.
        (false, false, true) if count < limits.high => FreezeStep::Unfreeze,
        (false, false, true) => FreezeStep::Mark(SetMarks::label(labels::FREEZE, Some("True"))),
        (false, _, _) => FreezeStep::Rest,
    };
    let by_user = (is_labelled && !is_judged) || view.deployment.is_some_and(is_frozen_by_user);
    let by_us = is_judged || matches!(step, FreezeStep::Freeze { .. });
    // Machines on their way out need no protection from more: only those that stay can be too many.
    let is_shut = !is_asked && (by_user || (by_us && staying > limits.low));
    Overshoot {
        step,
        gate: if is_shut { Gate::Shut } else { Gate::Open },
        requeue: if by_user || by_us {
            Requeue::After(view.settings.overshoot.period.max(LEAST_PERIOD))
        } else {
            Requeue::OnChange
        },
    }
}

/// Whether the condition of the set says that it is frozen.
pub(crate) fn is_judged_frozen(set: &MachineSet) -> bool {
    set.status.conditions.iter().any(|condition| condition.type_ == FROZEN && condition.is_true())
}

/// A user has labelled the deployment. The label that follows its sets never stands without the condition.
pub(crate) fn is_frozen_by_user(deployment: &MachineDeployment) -> bool {
    deployment.label(labels::FREEZE) == Some("True")
        && !deployment
            .status
            .conditions
            .iter()
            .any(|condition| condition.type_ == FROZEN && condition.is_true())
}

/// How many machines carry all labels of the template is what counts, not whose selector they match.
pub(super) fn carries_template_labels(set: &MachineSet, machine: &Machine) -> bool {
    let labels = set.spec.template.metadata.labels.iter().flatten();
    labels.into_iter().all(|(key, value)| machine.label(key) == Some(value))
}

/// The set's conditions after the step.
pub(super) fn conditions(
    before: Vec<MachineSetCondition>,
    step: &FreezeStep,
    now: Timestamp,
) -> Vec<MachineSetCondition> {
    let mut conditions = before;
    match step {
        FreezeStep::Freeze { message } => {
            conditions.retain(|condition| condition.type_ != FROZEN);
            conditions.push(MachineSetCondition {
                type_: FROZEN.to_owned(),
                status: "True".to_owned(),
                reason: "OverShootingReplicaCount".to_owned(),
                message: message.clone(),
                last_transition_time: Some(Time(whole_seconds(now))),
            });
        }
        FreezeStep::Unfreeze => conditions.retain(|condition| condition.type_ != FROZEN),
        FreezeStep::Rest | FreezeStep::Mark(_) => {}
    }
    conditions
}

/// From how many machines on a set is frozen, and down to how many it is let go.
struct Limits {
    high: i64,
    low: i64,
}

impl Limits {
    fn of(view: &SetView<'_>) -> Self {
        let OvershootRule { up, down, .. } = view.settings.overshoot;
        let allowed = match view.deployment {
            Some(deployment) => {
                let fences = Fences::of(deployment);
                i64::from(fences.replicas) + i64::from(fences.surge)
            }
            None => 2 * i64::from(view.set.spec.replicas),
        };
        // Flags of 0 must neither freeze a set that has what it may have, nor freeze and let go in turn, and a set
        // without machines is never too large.
        let high = (allowed + i64::from(up)).max(allowed + 1);
        let low = (high - i64::from(down)).min(high - 1).max(0);
        Self { high, low }
    }

    fn message(&self, set: &str, count: i64) -> String {
        let high = self.high;
        format!(
            "The number of machines backing MachineSet: {set} is {count} >= {high} which is the Max-ScaleUp-Limit"
        )
    }
}
