//! A node's conditions: the kubelet's five and the two of the node problem detector.
//!
//! They remember when each last changed, because heartbeats must not move that time.

use std::collections::BTreeMap;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::NodeCondition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::register::ShownCondition;
use crate::clock;
use crate::health::{Health, State};

const PROBLEMS: [(&str, &str); 6] = [
    ("MemoryPressure", "KubeletHasSufficientMemory"),
    ("DiskPressure", "KubeletHasNoDiskPressure"),
    ("PIDPressure", "KubeletHasSufficientPID"),
    ("NetworkUnavailable", "RouteCreated"),
    ("KernelDeadlock", "KernelHasNoDeadlock"),
    ("ReadonlyFilesystem", "FilesystemIsNotReadOnly"),
];

#[derive(Clone, Debug, Default)]
pub(super) struct Conditions {
    by_type: BTreeMap<String, Condition>,
}

#[derive(Clone, Debug)]
struct Condition {
    status: String,
    reason: String,
    message: String,
    since: Timestamp,
}

impl Conditions {
    /// The conditions of a node in this state of health, from now on.
    pub(super) fn under(&self, health: &Health) -> Self {
        let mut next = Self::default();
        for (kind, good) in PROBLEMS {
            self.carry(&mut next, kind, "False", good, "no problem is simulated");
        }
        let (status, reason, message) = match health.state {
            State::Ready | State::NeverJoin => ("True", "KubeletReady", "kubelet is posting ready status"),
            State::NotReady => {
                ("False", "KubeletNotReady", "the simulated cloud was told that it is not ready")
            }
            State::Dead => ("Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."),
        };
        self.carry(&mut next, "Ready", status, reason, message);
        for (kind, status) in &health.conditions {
            self.carry(&mut next, kind, status, "Simulated", "the simulated cloud was told so");
        }
        next
    }

    fn carry(&self, next: &mut Self, kind: &str, status: &str, reason: &str, message: &str) {
        let before = self.by_type.get(kind).filter(|before| before.status == status);
        let condition = Condition {
            status: status.to_owned(),
            reason: reason.to_owned(),
            message: message.to_owned(),
            since: before.map_or_else(clock::now, |before| before.since),
        };
        next.by_type.insert(kind.to_owned(), condition);
    }

    /// Whether a node object shows each of these.
    pub(super) fn are_shown_in(&self, shown: &[ShownCondition]) -> bool {
        let is_shown = |(kind, condition): (&String, &Condition)| {
            shown.iter().any(|shown| shown.kind == *kind && shown.status == condition.status)
        };
        self.by_type.iter().all(is_shown)
    }

    /// As the API server wants them, with a heartbeat of now.
    pub(super) fn to_list(&self) -> Vec<NodeCondition> {
        let now = clock::now();
        let list = self.by_type.iter().map(|(kind, condition)| NodeCondition {
            type_: kind.clone(),
            status: condition.status.clone(),
            reason: Some(condition.reason.clone()),
            message: Some(condition.message.clone()),
            last_heartbeat_time: Some(Time(now)),
            last_transition_time: Some(Time(condition.since)),
        });
        list.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status_of(conditions: &Conditions, kind: &str) -> String {
        conditions.to_list().into_iter().find(|condition| condition.type_ == kind).unwrap().status
    }

    #[test]
    fn a_healthy_node_is_ready_and_has_no_problem() {
        let conditions = Conditions::default().under(&Health::default());
        assert_eq!(status_of(&conditions, "Ready"), "True");
        assert_eq!(conditions.to_list().len(), 7);
        assert!(PROBLEMS.iter().all(|(kind, _)| status_of(&conditions, kind) == "False"));
    }

    #[test]
    fn only_a_change_moves_the_transition_time() {
        let first = Conditions::default().under(&Health::default());
        let same = first.under(&Health::default());
        assert_eq!(first.by_type["Ready"].since, same.by_type["Ready"].since);
        let sick = same.under(&State::NotReady.into());
        assert_eq!(status_of(&sick, "Ready"), "False");
        assert!(sick.by_type["Ready"].since > first.by_type["Ready"].since);
        assert_eq!(sick.by_type["DiskPressure"].since, first.by_type["DiskPressure"].since);
    }

    #[test]
    fn conditions_of_the_health_win() {
        let health = Health {
            conditions: BTreeMap::from([("KernelDeadlock".into(), "True".into())]),
            ..Health::default()
        };
        let conditions = Conditions::default().under(&health);
        assert_eq!(status_of(&conditions, "KernelDeadlock"), "True");
        assert_eq!(status_of(&conditions.under(&Health::default()), "KernelDeadlock"), "False");
    }
}
