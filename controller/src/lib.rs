//! `millwright-controller`: makes the machines of machine.sapcloud.io come true.
//!
//! A library as well as a program: a provider that lives elsewhere links it, hands its own [`Registry`] to [`run`], and has
//! the same flags, leases, probes and metrics. It wires and decides nothing: what to do is decided in `decide`, done in
//! `cluster`, and what a cloud can do is up to its provider.
//!
//! [`Registry`]: millwright_provider::Registry

mod args;
mod claims;
mod clients;
mod clock;
mod cloud_calls;
mod cloud_metrics;
mod config;
mod controller;
mod controllers;
mod election;
mod end;
mod flag_mistake;
mod flag_mistakes;
mod fleet_config;
mod fleet_readiness;
mod fleet_work;
mod log_config;
mod measured_provider;
mod metrics;
mod providers;
mod run;
mod run_error;
mod serve_fleet;
mod served_providers;
mod server;
mod start_gate;
mod state_metrics;

pub use args::Args;
pub use clients::Clients;
pub use clock::WallClock;
pub use config::Config;
pub use controller::Controller;
pub use controllers::Controllers;
pub use election::Election;
pub use flag_mistake::FlagMistake;
pub use flag_mistakes::FlagMistakes;
pub use fleet_config::FleetConfig;
pub use log_config::LogConfig;
pub use metrics::Metrics;
pub use providers::linked_providers;
pub use run::run;
pub use run_error::RunError;
pub use serve_fleet::{Process, serve_fleet_over};
pub use served_providers::ServedProviders;
