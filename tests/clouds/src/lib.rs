//! Stand-ins for clouds: what the tests of the providers call instead of Amazon, Microsoft, Google and an OpenStack of somebody's.
//!
//! What each of them checks, and what it does not, is told in docs/providers/README.md.

pub mod azure;
pub mod gcp;
