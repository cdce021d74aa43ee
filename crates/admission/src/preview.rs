//! Says what a write that is allowed will do to machines, in lines for people.
//!
//! The counting is done by the production decisions, run forward (`decide::preview`); here stands when it is asked, what for, and
//! what is said when there is nothing to count. It never refuses: who wants the change gets it.

mod class_in_use;
mod frozen;
mod occasion;
mod pace;
mod rollout;
mod without_effect;

use jiff::Timestamp;

use crate::{Change, Facts, Kind, Request};

pub use occasion::Occasion;

/// What the write leads to, the most important first; nothing when there is nothing to say. Each line is shorter than 256 characters.
#[must_use]
pub fn preview(request: &Request<'_>, facts: &dyn Facts, occasion: Occasion, now: Timestamp) -> Vec<String> {
    match (request.kind, request.change) {
        (Kind::MachineDeployment, Change::Create { new }) => rollout::lines(None, new, facts, occasion, now),
        (Kind::MachineDeployment, Change::Update { old, new }) => {
            rollout::lines(Some(old), new, facts, occasion, now)
        }
        (Kind::MachineClass, Change::Update { old, new }) => {
            class_in_use::line(request.name, old, new, facts).into_iter().collect()
        }
        _ => Vec::new(),
    }
}
