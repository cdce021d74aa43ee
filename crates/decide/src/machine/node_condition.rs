//! A condition that we keep on a Node: written when it says something new, and not otherwise.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use millwright_api::{ConditionStatus, NodeCondition, NodeView, ObjectView};

use super::NodeStatusPatch;
use crate::elapsed::whole_seconds;

/// The node's condition of a type.
pub(super) fn find<'a>(node: &'a NodeView, type_: &str) -> Option<&'a NodeCondition> {
    node.status.conditions.iter().find(|condition| condition.type_ == type_)
}

/// The patch after which the node has the condition, if one is needed. A new reason is a transition too: it tells
/// since when a step runs.
pub(super) fn patch(
    node: &NodeView,
    type_: &str,
    status: ConditionStatus,
    reason: &str,
    message: String,
    now: Timestamp,
) -> Option<NodeStatusPatch> {
    let known = find(node, type_);
    let stays = known.filter(|known| known.status == status.as_str() && known.reason == reason);
    if stays.is_some_and(|known| known.message == message) {
        return None;
    }
    let since = stays
        .and_then(|known| known.last_transition_time.clone())
        .unwrap_or_else(|| Time(whole_seconds(now)));
    Some(NodeStatusPatch {
        name: node.name().to_owned(),
        condition: Some(NodeCondition {
            type_: type_.to_owned(),
            status: status.as_str().to_owned(),
            reason: reason.to_owned(),
            message,
            last_heartbeat_time: known.and_then(|known| known.last_heartbeat_time.clone()),
            last_transition_time: Some(since),
        }),
        ..NodeStatusPatch::default()
    })
}
