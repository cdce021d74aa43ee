//! cluster

pub mod client;
pub mod events;
pub mod leader;
pub mod probe;
pub mod queue;
pub mod secrets;
pub mod watch;
