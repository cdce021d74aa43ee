//! cluster

pub mod queue;
