//! The provider of OpenStack on the real Keystone, Nova, Neutron, Glance and Placement.

#![allow(clippy::unwrap_used, reason = "test code")]

mod births;
mod contract;
mod identity;
mod kubermatic;
mod lab;
mod life;
mod rows;
mod tenant;
