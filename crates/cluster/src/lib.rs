//! Kubernetes I/O of one fleet: clients with limits, watches, the index, work queues, execution, events
//! and leader election.
//!
//! The loops in `reconcile` look, let `decide` decide, and execute. Nothing here judges; what a machine
//! needs next follows from `millwright_decide` alone.

pub mod client;
pub mod departures;
pub mod event_sorts;
pub mod events;
pub mod feed;
pub mod fleet;
pub mod index;
pub mod leader;
pub mod metrics;
pub mod orphans;
pub mod probe;
pub mod queue;
pub mod reachability;
pub mod secrets;
pub mod watch;

mod execute;
#[cfg(test)]
mod fake;
mod listing;
mod reconcile;

pub use fleet::{Fleet, FleetParts};
pub use reconcile::{Workers, run_workers};
