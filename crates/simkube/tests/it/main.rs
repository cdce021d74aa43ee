//! What clients see of simkube, under paused time and without any other server.
#![expect(
    clippy::unwrap_used,
    reason = "the lint's own exception for tests leaves out what several tests share"
)]

mod budgets;
mod gates;
mod objects;
mod paused;
mod watches;
