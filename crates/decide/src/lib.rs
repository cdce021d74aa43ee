//! Every decision of the controllers, pure: a view of plain data and `now` go in, a plan comes out.
//!
//! Nothing here awaits, reads a clock, draws a random number or logs. `cluster` builds the views from
//! its index and performs the plans; results come back through the next view.

pub mod backoff;
pub mod deployment;
pub mod drain;
pub mod elapsed;
pub mod fleet_bound;
pub mod freeze;
pub mod lease;
pub mod machine;
pub mod machineset;
pub mod orphan;
pub mod preview;

mod availability;
mod bounds;
mod maintenance;
mod member;
mod names;
mod pace;
mod requeue;
mod rollout_settings;
mod settings;
mod spec_problem;
mod tally;

pub use bounds::Bounds;
pub use fleet_bound::Places;
pub use freeze::{Freeze, Trust};
pub use member::Member;
pub use names::NameSource;
pub use requeue::Requeue;
pub use rollout_settings::{
    AutoscalerAnnotations, FailedReplacement, MinReady, OvershootRule, RolloutSettings,
};
pub use settings::{MachineSettings, ProviderIdWording, TargetCluster};
