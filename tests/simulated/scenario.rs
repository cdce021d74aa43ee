//! What users do, from an empty cluster back to an empty cluster. Each scenario yields what was there at its rests.

mod birth_and_death;
mod drain;
mod volumes;

use std::sync::Arc;
use std::time::Duration;

use crate::world::{EndState, Setting, World};

/// Long enough for whatever is still on its way, for a relist and a sweep of the orphan collection.
const SETTLES: Duration = Duration::from_secs(150);
/// And at the end, so that what was collected would come back if it did.
const ENDS: Duration = Duration::from_secs(400);
/// Sweeps often, so that a run need not be long.
const SWEEPS: &str = "--machine-safety-orphan-vms-period=2m";
/// A cloud that carries orders out later takes so many seconds: two questions find it at it.
const ORDERS: f64 = 12.0;
/// What a watch never told is found out within this time.
const RELISTS: &str = "--watch-relist-period=2m";

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scenario {
    /// A machine and a deployment of two come, one goes, all go.
    BirthAndDeath,
    /// The same in a cloud that accepts creations and deletions, and carries them out later.
    BirthAndDeathLater,
    /// A node with a budget, a daemon and a stubborn pod goes in good order, another by force.
    Drain,
    /// A pod with a volume moves from one node to another, and both go.
    Volumes,
}

impl Scenario {
    pub(crate) const ALL: [Self; 4] =
        [Self::BirthAndDeath, Self::BirthAndDeathLater, Self::Drain, Self::Volumes];

    pub(crate) fn setting(self, plan: crate::world::Plan) -> Setting {
        let setting = Setting::alone(plan).with(SWEEPS).with(RELISTS);
        match self {
            Self::BirthAndDeathLater => Setting { order_seconds: Some(ORDERS), ..setting },
            Self::BirthAndDeath | Self::Drain | Self::Volumes => setting,
        }
    }

    pub(crate) async fn play(self, world: Arc<World>) -> Vec<EndState> {
        match self {
            Self::BirthAndDeath | Self::BirthAndDeathLater => birth_and_death::play(&world).await,
            Self::Drain => drain::play(&world).await,
            Self::Volumes => volumes::play(&world).await,
        }
    }
}

/// What every controller does at rest: nothing but look.
pub(crate) async fn rest(world: &World) {
    world.must_rest().await;
}

/// Lets everything settle and looks.
async fn look(world: &World) -> EndState {
    world.rest(SETTLES).await;
    EndState::of(world)
}

/// The same when nothing should be left.
async fn last_look(world: &World) -> EndState {
    world.until_empty().await;
    world.rest(ENDS).await;
    EndState::of(world)
}
