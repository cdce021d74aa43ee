//! How far an update is, in the node's condition `InPlaceUpdate`: its reason follows the node's labels.

use jiff::Timestamp;
use millwright_api::keys::annotations::UPDATE_FAILED_REASON;
use millwright_api::keys::{labels, node_conditions};
use millwright_api::{ConditionStatus, NodeView, ObjectView};

use crate::machine::{NodeStatusPatch, node_condition};

/// Reasons of the condition, in the order in which an update passes through them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The node belongs to an old set.
    Candidate,
    /// It is to be drained now.
    Selected,
    /// It is drained.
    Drained,
    /// Its agent may update it.
    Ready,
    /// Its agent has updated it.
    Successful,
    /// Its agent could not update it.
    Failed,
}

impl Progress {
    const ALL: [Self; 6] =
        [Self::Candidate, Self::Selected, Self::Drained, Self::Ready, Self::Successful, Self::Failed];

    const fn reason(self) -> &'static str {
        match self {
            Self::Candidate => "CandidateForUpdate",
            Self::Selected => "SelectedForUpdate",
            Self::Drained => "DrainSuccessful",
            Self::Ready => "ReadyForUpdate",
            Self::Successful => "UpdateSuccessful",
            Self::Failed => "UpdateFailed",
        }
    }

    /// What the node's condition says.
    pub(crate) fn of(node: &NodeView) -> Option<Self> {
        let condition = node_condition::find(node, node_conditions::IN_PLACE_UPDATE)?;
        Self::ALL.into_iter().find(|progress| progress.reason() == condition.reason)
    }

    /// The patch that says it.
    pub(super) fn told(self, node: &NodeView, now: Timestamp) -> Option<NodeStatusPatch> {
        let message = match self {
            Self::Candidate => "Node is a candidate for in-place update".to_owned(),
            Self::Selected => "Node is selected for in-place update".to_owned(),
            Self::Drained => "Node draining successful".to_owned(),
            Self::Ready => "Node is ready for in-place update".to_owned(),
            Self::Successful => "Node in-place update successful".to_owned(),
            Self::Failed => format!("Node in-place update failed: {}", failure(node)),
        };
        let type_ = node_conditions::IN_PLACE_UPDATE;
        node_condition::patch(node, type_, ConditionStatus::True, self.reason(), message, now)
    }
}

/// What the node's agent says of a failure.
pub(super) fn failure(node: &NodeView) -> &str {
    match node.annotation(UPDATE_FAILED_REASON) {
        None | Some("") => "its agent gives no reason",
        Some(reason) => reason,
    }
}

/// What came of an update, as the node's agent reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UpdateResult {
    /// It worked.
    Successful,
    /// It did not.
    Failed,
}

/// The agent's report, if there is one that can be read.
pub(crate) fn result(node: &NodeView) -> Option<UpdateResult> {
    match node.label(labels::UPDATE_RESULT)? {
        "successful" => Some(UpdateResult::Successful),
        "failed" => Some(UpdateResult::Failed),
        _ => None,
    }
}

/// Brings the condition in line with the labels, one reason at a time. The steps of the drain are not among them:
/// `Drained` and `Ready` are said by who drains.
pub(super) fn patch(node: &NodeView, now: Timestamp) -> Option<NodeStatusPatch> {
    node.label(labels::CANDIDATE_FOR_UPDATE)?;
    let is_selected = node.label(labels::SELECTED_FOR_UPDATE).is_some();
    let next = match (Progress::of(node), result(node)) {
        (None, _) => Progress::Candidate,
        // The label of the last update is still there until the deployment takes the machine over.
        (Some(Progress::Successful), None) => Progress::Candidate,
        (Some(Progress::Candidate), _) if is_selected => Progress::Selected,
        // Before it is drained no report can be about this update.
        (Some(Progress::Selected), _) if is_selected => return None,
        (_, Some(UpdateResult::Successful)) => Progress::Successful,
        (_, Some(UpdateResult::Failed)) => Progress::Failed,
        (Some(_), None) => return None,
    };
    next.told(node, now)
}
