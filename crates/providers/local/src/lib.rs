//! The provider for the simulated cloud (`crates/simcloud`).
//!
//! [`LocalRules`] is its offline half: schema, defaults, validation, ids. With feature `client` there is
//! [`LocalProvider`], which adds the calls. It knows the cloud's HTTP API, not its code, and shows what a provider
//! should look like: a birth is one call, a death is five, nothing is remembered between calls but the order of a cloud that
//! carries it out later.

mod defaults;
mod provider_id;
mod rule_list;
mod rules;
mod schema;
mod scope;
mod secrets;
mod validate;
mod volumes;

#[cfg(feature = "client")]
mod belonging;
#[cfg(feature = "client")]
mod create;
#[cfg(feature = "client")]
mod delete;
#[cfg(feature = "client")]
mod endpoint;
#[cfg(feature = "client")]
mod errors;
#[cfg(feature = "client")]
mod find;
#[cfg(feature = "client")]
mod list;
#[cfg(feature = "client")]
mod operation;
#[cfg(feature = "client")]
mod ordered;
#[cfg(feature = "client")]
mod progress;
#[cfg(feature = "client")]
mod provider;
#[cfg(feature = "client")]
mod session;
#[cfg(feature = "client")]
mod spec;
#[cfg(feature = "client")]
mod status;
#[cfg(feature = "client")]
mod wire;

#[cfg(feature = "client")]
pub use provider::LocalProvider;
pub use rules::LocalRules;
