//! The real thing: our binaries as processes with the rights that config/ grants, a real API server with the webhook registered, a
//! simulated cloud for each test, driven by kubectl as a user would.
//!
//! All tests share one control plane ([`house`]); each has its own namespace, cloud and controller ([`fleet`]), so they run side by side.
//! Only those that take the API server away start one of their own.
//! Whatever becomes of this process, nothing of it stays behind: every program runs under the testbed's guard.

#![expect(clippy::unwrap_used, reason = "the whole crate is a test")]

mod acceptance;
mod api_server_away;
mod argocd;
mod attacher;
mod audit;
mod autoscaler;
mod bad_class;
mod bad_objects;
mod bad_start;
mod bare_set;
mod birth;
mod cert_manager;
mod class_in_use;
mod controller;
mod crash;
mod crash_births_and_deaths;
mod cut_target;
mod deletion;
mod disruption;
mod election;
mod fleet;
mod garbage;
mod guests;
mod half_dead;
mod hanging_api_server;
mod history;
mod house;
mod island;
mod kube_names;
mod latency;
mod lint;
mod manifests;
mod many;
mod orphans;
mod outage;
mod overlays;
mod patience;
mod preview_warnings;
mod propagation;
mod repair;
mod rest;
mod rollback;
mod rollout;
mod rollout_restart;
mod rotation;
mod runtime;
mod samples;
mod scaling;
mod secret_checks;
mod secrets_seen;
mod seeded;
mod standing;
mod volume_manifests;
mod volumes;
mod webhook;
mod whole_run;
