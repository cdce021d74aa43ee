//! What keeps a rollout from going on although its user wants it: a maintenance window that is closed, and the bound on
//! machines that are down in the whole fleet.

use jiff::Timestamp;

use super::claim::Claim;
use super::{DeploymentView, Fences};
use crate::Requeue;

/// Why a rollout waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hold {
    /// Reason of the condition.
    pub(super) reason: &'static str,
    /// For people: what it waits for, and until when.
    pub(super) message: String,
    /// When to look again.
    pub(super) requeue: Requeue,
}

/// Whether the rollout must wait now.
pub(super) fn of(
    _view: &DeploymentView<'_>,
    _claim: &Claim<'_>,
    _fences: Fences,
    _now: Timestamp,
) -> Option<Hold> {
    None
}
