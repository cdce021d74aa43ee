//! The provider `GCP` on the wire, against the stand-in that holds every request and answer against Google's description.

#![allow(clippy::unwrap_used, reason = "test code")]

mod accounts;
mod contract;
mod kubermatic;
mod lab;
mod life;
mod page;
mod quirks;
mod rows;
mod stand_in;
