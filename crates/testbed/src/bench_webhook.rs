//! `cargo testbed bench-webhook`: what a review costs. It asks the webhook directly over TLS, at several loads and in both protocols, then creates
//! objects through an API server that knows the webhook and one that does not.
//!
//! It measures and judges nothing: times depend on the machine. `cases` is what is asked, `load` how, `direct` and `through` where.

mod arguments;
mod cases;
mod client;
mod direct;
mod error;
mod figures;
mod load;
mod report;
mod run;
mod started;
mod through;

pub use self::{arguments::WebhookBenchArguments, error::WebhookBenchError};
pub(crate) use run::run;
