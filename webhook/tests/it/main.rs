//! The webhook from outside: its routes, its TLS, its process.
#![expect(clippy::unwrap_used, reason = "a test that can not go on fails here")]

mod abuse;
mod certificates;
mod client;
mod clients;
mod facts;
mod fixture;
mod garbage;
mod http;
mod local;
mod metrics_page;
mod process;
mod providers_page;
mod reload;
mod reviews;
mod rules_page;
mod schema_table;
mod sizes;
mod sky_rules;
mod tls;
