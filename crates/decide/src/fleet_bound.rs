//! The bound on machines of a whole fleet that are in work at the same time: down, or being replaced.
//!
//! A rollout takes another machine into work only while there is a place for it. What nobody chose takes places too, and
//! is never kept from happening: a machine that is sick, its replacement, scaling. What is under way comes to its end
//! without another place. A lone rollout always goes on, and one that can only go as a whole (`Recreate`) and is larger than
//! the bound goes when nobody else is at work. Where nothing is in work but sick machines of rollouts
//! that wait, the first of those goes on, for only their rollouts replace them. Who asked first is served first, and keeps
//! his turn until his rollout is done.

mod fleet_work;
mod in_work;
mod place_use;
mod places;

pub use fleet_work::FleetWork;
pub use in_work::InWork;
pub(crate) use in_work::{Part, cost, missed};
pub use place_use::{Appetite, PlaceUse};
pub use places::{Cure, FreePlaces, Places};
