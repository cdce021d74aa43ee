//! The real binaries on a real API server, with each cloud's stand-in as their cloud: five machines come, are rolled and go, nothing is
//! left, and every call is counted. Clouds whose stand-in must be installed first are tested with the feature `installed`.

#![expect(clippy::unwrap_used, reason = "the whole crate is a test")]

#[cfg(feature = "installed")]
mod aws;
mod azure;
mod gcp;
mod house;
#[cfg(feature = "installed")]
mod openstack;
mod patience;
mod run;
mod world;
