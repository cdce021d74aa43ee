//! The provider `azure` on the wire, against the stand-in for Resource Manager; and that stand-in against the published API.

#![allow(clippy::unwrap_used, reason = "test code")]

mod contract;
mod fake;
mod kubermatic;
mod lab;
mod life;
mod paths;
mod rows;
