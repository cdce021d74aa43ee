//! What users and autoscalers do.

use std::sync::Arc;

use millwright_api::keys::annotations;
use millwright_api::{ObjectView, RollbackTo};
use millwright_decide::deployment::Fences;

use crate::fixtures::deployment::template;
use crate::fixtures::time::at;
use crate::state::State;

/// A change of the deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    Scale(i32),
    /// Machines of class `broken` never run.
    Class(&'static str),
    GoBack,
    Pause,
    Resume,
    /// The autoscaler takes one machine off: it names it, and lowers the replicas.
    TakeOff,
}

impl Wish {
    /// The state after it; `None` when it asks for nothing new.
    pub(crate) fn granted(self, state: &State) -> Option<State> {
        let mut next = state.clone();
        let victim = state.running().next_back().map(|machine| machine.name().to_owned());
        let deployment = Arc::make_mut(&mut next.stage.real.deployment);
        let before = deployment.spec.clone();
        match self {
            Self::Scale(replicas) => deployment.spec.replicas = replicas,
            Self::Class(class) => {
                deployment.spec.template = template(class);
                deployment.spec.rollback_to = None;
            }
            Self::GoBack => deployment.spec.rollback_to = Some(RollbackTo { revision: 0 }),
            Self::Pause => deployment.spec.paused = true,
            Self::Resume => deployment.spec.paused = false,
            Self::TakeOff => {
                let victim = victim?;
                deployment.spec.replicas -= 1;
                let notes = deployment.metadata.annotations.get_or_insert_default();
                let time = at(500).to_string();
                notes.insert(annotations::LAST_REPLICA_CHANGE_BY_SCALER.to_owned(), time.clone());
                notes.insert(annotations::TRIGGER_DELETION.to_owned(), format!("{victim}~{time}"));
                next.chosen.insert(victim);
            }
        }
        if deployment.spec == before {
            return None;
        }
        next.changes_left -= 1;
        deployment.metadata.resource_version = Some(next.changes_left.to_string());
        deployment.metadata.generation = Some(deployment.metadata.generation.unwrap_or_default() + 1);
        let is_quiet = state.is_quiet();
        let fences = Fences::of(&next.stage.real.deployment);
        next.allowed = if is_quiet { state.allowed.anew(&state.stage.real.deployment) } else { next.allowed };
        next.allowed.add(fences, &next.stage.real.deployment);
        Some(next)
    }
}
