//! The provider `AWS` on the wire, before Moto's server with the gaps closed that tests/clouds/moto lists.

#![allow(clippy::unwrap_used, reason = "test code")]

mod account;
mod contract;
mod kubermatic;
mod lab;
mod life;
mod logins;
mod policy;
mod refusals;
mod resumed;
mod rows;
mod spot;
