//! Says to others than the plan whether a rollout waits, and why.

use jiff::Timestamp;

use super::claim::claim;
use super::{DeploymentView, hold};

/// What the rollout waits for now although its user wants it, for people.
pub(crate) fn hold_message(view: &DeploymentView<'_>, now: Timestamp) -> Option<String> {
    let claim = claim(view.deployment, &view.sets);
    hold::of(view, &claim, now).map(|hold| hold.message)
}
