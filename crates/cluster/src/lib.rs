//! cluster

pub mod client;
pub mod leader;
pub mod queue;
pub mod watch;
