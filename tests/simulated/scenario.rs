//! What users do, from an empty cluster back to an empty cluster. Each scenario yields what was there at its rests.

mod birth_and_death;
mod drain;

use std::sync::Arc;
use std::time::Duration;

use crate::world::{EndState, Setting, World};

/// Long enough for whatever is still on its way, and for two sweeps of the orphan collection.
const SETTLES: Duration = Duration::from_secs(2400);

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scenario {
    /// A machine and a deployment of two come, one goes, all go.
    BirthAndDeath,
    /// A node with a budget, a daemon and a stubborn pod goes in good order, another by force.
    Drain,
}

impl Scenario {
    pub(crate) fn setting(self, plan: crate::world::Plan) -> Setting {
        Setting::alone(plan)
    }

    pub(crate) async fn play(self, world: Arc<World>) -> Vec<EndState> {
        match self {
            Self::BirthAndDeath => birth_and_death::play(&world).await,
            Self::Drain => drain::play(&world).await,
        }
    }
}

/// Lets everything settle and looks.
async fn look(world: &World) -> EndState {
    world.rest(SETTLES).await;
    EndState::of(world)
}
