//! The loops: take a key, look, decide, execute. One file for each kind.
//!
//! A reconcile holds a lock only while it looks and decides, which never awaits; then it executes.
//! What execution changes comes back through the index or the memory, and wakes the key again.

mod bound;
mod class;
mod deletion_steps;
mod deployment;
mod drains;
mod machine;
mod machineset;
mod meltdown;
mod secret;
mod workers;

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use deployment::reconcile as reconcile_deployment;
#[cfg(test)]
pub(crate) use machine::reconcile as reconcile_machine;
#[cfg(test)]
pub(crate) use machineset::reconcile as reconcile_set;
pub use workers::{Workers, run_workers};
