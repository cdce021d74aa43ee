//! Certificates without anybody's help: the replicas make a CA and a serving certificate themselves, keep both in a Secret, and see to
//! it that the webhook configurations trust them.
//!
//! `plan` decides and knows no I/O; `carry_out` makes the keys. Every replica serves what the Secret holds; the leader among them writes.
//! What a certificate file needs is `reload`'s part.

mod anchor;
mod authority;
mod carry_out;
mod content;
mod election;
mod keeper;
mod metrics;
mod pair;
mod plan;
mod registrations;
mod replica;
mod server_names;
mod step;
mod times;
mod vault;

pub(crate) use replica::Replica;
pub use replica::SelfSignedError;
#[cfg(test)]
pub(crate) use server_names::ServerNames;
