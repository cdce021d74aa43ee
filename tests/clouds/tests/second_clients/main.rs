//! The vendors' own clients against our stand-ins.

#![allow(clippy::unwrap_used, reason = "test code")]

mod aws;
mod azure;
mod gcp;
mod openstack;
mod script;
