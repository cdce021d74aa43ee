//! Why a change that asks for other machines does not lead to them.

use serde::Serialize;

/// What a rollout that stands still waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Stillness {
    /// `spec.paused`
    Paused,
    /// A maintenance window or the bound of the fleet.
    Held {
        /// What it waits for.
        message: String,
    },
    /// The spec can not be acted on.
    Unusable {
        /// What is wrong with it.
        message: String,
    },
    /// The strategy is not carried out.
    UnknownStrategy {
        /// Its name.
        strategy: String,
    },
    /// Somebody must choose the nodes that are updated next.
    ChoiceOfNodes,
    /// Machines that are there already are not available, and none of those that are can be spared.
    Unavailable {
        /// How many.
        machines: usize,
    },
    /// Anything else; the deployment's conditions say more.
    Other,
}
