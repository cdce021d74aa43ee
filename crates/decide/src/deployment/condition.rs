//! Writes one condition of a deployment, and leaves its times alone when it says what it said.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::{ConditionStatus, DeploymentCondition};

/// Whether a condition's update time must move although it says what it said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    Yes,
    No,
}

/// What a condition says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Saying<'a> {
    pub(super) status: ConditionStatus,
    pub(super) reason: &'a str,
    pub(super) message: &'a str,
    pub(super) news: News,
}

/// The condition of that type, if it is there.
pub(super) fn find<'a>(
    conditions: &'a [DeploymentCondition],
    type_: &str,
) -> Option<&'a DeploymentCondition> {
    conditions.iter().find(|condition| condition.type_ == type_)
}

/// Makes the condition of that type say so.
pub(super) fn set(
    conditions: &mut Vec<DeploymentCondition>,
    type_: &str,
    saying: &Saying<'_>,
    now: Timestamp,
) {
    let Saying { status, reason, message, news } = *saying;
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
