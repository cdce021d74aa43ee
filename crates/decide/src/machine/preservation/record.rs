//! What a Machine and its Node carry of a preservation: the machine's note of its node's wish, the autoscaler's
//! annotations, the taint, and the condition.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Taint;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::keys::annotations::{
    LAST_APPLIED_NODE_PRESERVE_VALUE, PRESERVE, SCALE_DOWN_DISABLED, SCALE_DOWN_DISABLED_BY_US,
};
use millwright_api::keys::{node_conditions, taints};
use millwright_api::{ConditionStatus, Machine, NodeCondition, NodeView, ObjectView};

use super::goal::Keeper;
use super::value;
use crate::drain::waits_for_the_same;
use crate::elapsed::whole_seconds;
use crate::machine::{MachinePatch, NodePatch, NodeStatusPatch, node_condition};

/// How the condition's message begins when the node of a failed machine is empty.
const DRAINED: &str = "Preserved node drained successfully.";
/// How it begins while it is not.
const NOT_DRAINED: &str = "Preserved node could not be drained.";
const BY_SET: &str = "Preserved by MCM.";
const BY_USER: &str = "Preserved by user.";
const STOPPED: &str = "Preservation stopped.";

/// The machine's annotations after its node's wish was obeyed: the wish is noted, so that its removal is seen, and the
/// machine's own, which does not hold, goes.
pub(super) fn obeyed(machine: &Machine, node: &NodeView) -> Option<MachinePatch> {
    if !value::node_decides(machine, node) {
        return None;
    }
    let wish = value::on_node(node).unwrap_or_default();
    let mut patch = MachinePatch::default();
    if machine.annotation(PRESERVE).is_some() {
        patch.dropped_annotations.push(PRESERVE.to_owned());
    }
    if machine.annotation(LAST_APPLIED_NODE_PRESERVE_VALUE).unwrap_or_default() != wish {
        patch.annotations.insert(LAST_APPLIED_NODE_PRESERVE_VALUE.to_owned(), wish.to_owned());
    }
    (patch != MachinePatch::default()).then_some(patch)
}

/// The machine's annotations when nothing shall ask for a preservation any more.
pub(super) fn withdrawn(machine: &Machine) -> Option<MachinePatch> {
    let dropped: Vec<String> = [PRESERVE, LAST_APPLIED_NODE_PRESERVE_VALUE]
        .into_iter()
        .filter(|key| machine.annotation(key).is_some())
        .map(str::to_owned)
        .collect();
    (!dropped.is_empty()).then(|| MachinePatch { dropped_annotations: dropped, ..MachinePatch::default() })
}

/// Keeps autoscalers away. What a user has set is left as it is, and without our mark, so that it stays afterwards.
pub(super) fn disable_scale_down(node: &NodeView, patch: &mut NodePatch) {
    if node.annotation(SCALE_DOWN_DISABLED) != Some("true") {
        for key in [SCALE_DOWN_DISABLED, SCALE_DOWN_DISABLED_BY_US] {
            patch.annotations.insert(key.to_owned(), Some("true".to_owned()));
        }
    }
}

/// Lets autoscalers come back, if it was us who kept them away.
pub(super) fn enable_scale_down(node: &NodeView, patch: &mut NodePatch) {
    if node.annotation(SCALE_DOWN_DISABLED_BY_US).is_some() {
        for key in [SCALE_DOWN_DISABLED, SCALE_DOWN_DISABLED_BY_US] {
            patch.annotations.insert(key.to_owned(), None);
        }
    }
}

/// The taint that keeps new pods from a node which is kept to be looked at. A cordon is the user's own.
pub(super) fn taint(node: &NodeView) -> Option<&Taint> {
    node.spec.taints.iter().find(|taint| taint.key == taints::PRESERVED)
}

/// Adds the taint; its time tells since when the node is drained.
pub(super) fn add_taint(node: &NodeView, patch: &mut NodePatch, now: Timestamp) {
    if taint(node).is_none() {
        patch.taints_of(node).push(Taint {
            key: taints::PRESERVED.to_owned(),
            effect: "NoSchedule".to_owned(),
            time_added: Some(Time(whole_seconds(now))),
            ..Taint::default()
        });
    }
}

/// Removes the taint.
pub(super) fn remove_taint(node: &NodeView, patch: &mut NodePatch) {
    if taint(node).is_some() {
        patch.taints_of(node).retain(|taint| taint.key != taints::PRESERVED);
    }
}

/// What the condition says of a node that is kept.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kept<'a> {
    /// Its machine has not failed.
    AsItIs,
    /// Its machine has failed, and nothing is left on it that could go.
    Drained,
    /// Its machine has failed, and the drain waits for something.
    Draining(&'a str),
}

/// The condition of a node that is kept.
pub(super) fn keeping(
    node: &NodeView,
    kept: Kept<'_>,
    by: Keeper,
    until: Timestamp,
    now: Timestamp,
) -> Option<NodeStatusPatch> {
    let until = format!("Machine preserved until {until}.");
    let (status, message) = match kept {
        Kept::AsItIs => (ConditionStatus::True, until),
        Kept::Drained => (ConditionStatus::True, format!("{DRAINED} {until}")),
        Kept::Draining(what) => (ConditionStatus::False, format!("{NOT_DRAINED} {what} {until}")),
    };
    let reason = match by {
        Keeper::User => BY_USER,
        Keeper::Set => BY_SET,
    };
    // Counts and moments of a drain change all the time: that alone is not worth a write.
    let is_known = matches!(kept, Kept::Draining(_))
        && node_condition::find(node, node_conditions::PRESERVED).is_some_and(|known| {
            known.status == status.as_str()
                && known.reason == reason
                && waits_for_the_same(&known.message, &message)
        });
    if is_known {
        return None;
    }
    node_condition::patch(node, node_conditions::PRESERVED, status, reason, message, now)
}

/// The condition says that the node of a failed machine is empty.
pub(super) fn is_drained(node: &NodeView) -> bool {
    let said = |condition: &NodeCondition| condition.is_true() && condition.message.starts_with(DRAINED);
    node_condition::find(node, node_conditions::PRESERVED).is_some_and(said)
}

/// The condition of a node that is not kept any more; one that never was gets none.
pub(super) fn stopped(node: &NodeView, now: Timestamp) -> Option<NodeStatusPatch> {
    node_condition::find(node, node_conditions::PRESERVED)?;
    let type_ = node_conditions::PRESERVED;
    node_condition::patch(node, type_, ConditionStatus::False, STOPPED, String::new(), now)
}
