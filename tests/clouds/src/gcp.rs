//! A stand-in for Google Compute Engine, made for this repository: VMs, disks and operations of one project, and the servers that
//! give tokens. It runs in the process of its test.
//!
//! It is strict where Google's own description of the API can say what is right: every request and every answer is held against
//! it, and what it does not know is a violation, which fails the test ([`GcpFake::violations`]). Signatures of assertions are
//! verified. How the service behaves beyond its description (operations, request ids, what happens to disks) is written from its
//! documentation.

mod api_files;
mod clock;
mod description;
mod fake;
mod fields;
mod filter;
mod journal;
mod misfortune;
mod project;
mod refusal;
mod requests;
mod server;
mod strict_schema;
mod token_server;

pub use self::{
    api_files::{ApiFiles, KeyPair},
    fake::{GcpFake, Settings},
    journal::Entry,
    misfortune::{Misfortune, Strike},
    refusal::Refusal,
};
