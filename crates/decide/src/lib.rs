//! decide

pub mod backoff;
pub mod lease;
