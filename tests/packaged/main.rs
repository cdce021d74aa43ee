//! The real thing: our binaries as processes with the rights that config/ grants, a real API server with the webhook registered, a
//! simulated cloud for each test, driven by kubectl as a user would.
//!
//! All tests share one control plane ([`house`]); each has its own namespace, cloud and controller ([`fleet`]), so they run side by side.
//! Whatever becomes of this process, nothing of it stays behind: every program runs under the testbed's guard.

#![expect(clippy::unwrap_used, reason = "the whole crate is a test")]

mod audit;
mod bad_class;
mod bad_objects;
mod bad_start;
mod birth;
mod controller;
mod crash;
mod deletion;
mod disruption;
mod election;
mod fleet;
mod garbage;
mod history;
mod house;
mod kube_names;
mod manifests;
mod orphans;
mod patience;
mod repair;
mod rest;
mod rollout;
mod runtime;
mod samples;
mod scaling;
mod secrets_seen;
mod webhook;
mod whole_run;
