//! The webhook from outside: its routes, its TLS, its process.
#![expect(clippy::unwrap_used, reason = "a test that can not go on fails here")]

mod certificates;
mod client;
mod fixture;
mod garbage;
mod local;
mod process;
mod reload;
mod reviews;
mod sky_rules;
mod tls;
