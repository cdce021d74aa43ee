//! cluster

pub mod client;
pub mod queue;
