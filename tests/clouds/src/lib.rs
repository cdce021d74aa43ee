//! Stand-ins for clouds: what the tests of the providers call instead of Amazon, Microsoft, Google and an OpenStack of somebody's.
//!
//! What each of them checks, and what it does not, is told in docs/providers/README.md. Those that come from Python packages
//! ([`Moto`], [`OpenStack`]) are installed first by `cargo testbed clouds install`; [`azure`] and [`gcp`] need only Rust and Go.
//! [`FaultProxy`] stands in front of any of them and lets calls go wrong.

pub mod azure;
pub mod cli;
mod clock;
mod error;
mod fault_proxy;
pub mod gcp;
mod installation;
mod joiner;
mod moto;
mod openstack;

pub use self::{
    error::StandInError,
    fault_proxy::{Call, Calls, Effect, Fault, FaultProxy, When},
    installation::{Installation, Venv},
    joiner::{Joiner, JoiningVm, JoiningVms},
    moto::{Moto, MotoOptions},
    openstack::{Admin, OpenStack, Project},
};
