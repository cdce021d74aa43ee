//! `cargo testbed bench`: what the controller costs for N machines. It creates, rolls, lets rest, takes over and deletes them in one MachineDeployment,
//! on an API server beside which nothing else runs, with VMs that become nodes one second after their creation.
//!
//! It measures and judges nothing: times depend on the machine. `run` is the order of events, `meter` what is measured around each phase.

mod arguments;
mod error;
mod meter;
mod observer;
mod phase;
mod proc;
mod report;
mod run;
mod setting;
mod targets;
mod traffic;
mod until;
mod workload;

pub(crate) use self::proc::Proc;
pub use self::{arguments::BenchArguments, error::BenchError};
pub(crate) use run::run;
