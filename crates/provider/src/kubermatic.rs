//! What Kubermatic's machine-controller calls `providerSpec.value`, up to the point where a cloud reads it.
//!
//! A value is made ready in two steps without I/O: [`references`] says what must be read, [`resolve`] puts it in and takes the
//! credentials out, under the keys that the same cloud reads from a Gardener Secret. The result is the spec of a
//! [`ClassView`](crate::ClassView) in dialect [`Kubermatic`](crate::Dialect::Kubermatic), which [`MachineConfig`] reads and
//! [`check`] judges. Which fields there are is data, one [`Vocabulary`] a cloud; what they mean is the cloud's business, and
//! serving Kubermatic's API that of a facade.

mod check;
mod cluster_role;
mod config_var;
mod forms;
mod found;
mod ip_family;
mod machine_config;
mod needed_text;
mod operating_system;
mod reference;
mod references;
mod resolve;
mod resolved;
mod schema;
mod spec_field;
mod vocabulary;

pub use check::check;
pub use cluster_role::ClusterRole;
pub use found::Found;
pub use ip_family::IpFamily;
pub use machine_config::MachineConfig;
pub use needed_text::needed_text;
pub use operating_system::OperatingSystem;
pub use reference::{Reference, Source};
pub use references::references;
pub use resolve::resolve;
pub use resolved::Resolved;
pub use schema::schema;
pub use spec_field::{Encoding, Form, Privacy, SpecField};
pub use vocabulary::{VmName, Vocabulary};

/// Where the value stands in a Machine's spec; paths in messages begin so.
pub const ROOT: &str = "providerSpec.value";
/// Where the cloud's own part stands.
pub const CLOUD: &str = "providerSpec.value.cloudProviderSpec";

#[cfg(test)]
mod tests;
