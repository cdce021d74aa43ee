//! The whole fleet in one process under paused time: the controller's real wiring and the real provider between a simulated
//! API server and the simulated cloud.
//!
//! `sweep` breaks off or disturbs every single request of a reference run and expects the same end; `museum` has a test for
//! each incident of other machine managers. docs/proof.md says how to run one case again.

#![expect(clippy::unwrap_used, reason = "the whole crate is a test")]

mod autoscaler;
mod bounds;
mod foreign;
mod handover;
mod in_place_rollout;
mod many_drains;
mod museum;
mod promptness;
mod scaling;
mod scenario;
mod sweep;
mod upkeep;
mod world;
